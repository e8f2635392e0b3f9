import { expect, it } from "vitest";
import { digest, hash32 } from "./hash.ts";

it("a digest is the first 16 digits of SHA-256", () => {
  expect(digest("abc")).toBe("ba7816bf8f01cfea");
});

it("places are whole numbers of 32 bits, evenly spread, and never change", () => {
  expect(hash32("abc")).toBe(0xba7816bf);
  const partitions = Array.from({ length: 8 }, () => 0);
  for (let n = 0; n < 8_000; n += 1) partitions[hash32(`host-${n}.example.com`) % 8]! += 1;
  expect(Math.min(...partitions)).toBeGreaterThan(850);
});
