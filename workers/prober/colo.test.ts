import { describe, expect, inject, it } from "vitest";
import { fetchColo } from "./colo.ts";

const { named, closed } = inject("gateways");
const ask = (port: number) => fetchColo(`http://127.0.0.1:${port}/`);

describe("the data centre", () => {
  it("is what the trace says", async () => {
    expect(await ask(named.trace)).toBe("FRA");
  });

  it("stays unknown where nobody tells, within a second or so", async () => {
    const startedAt = Date.now();
    expect(await Promise.all([named.good, named.silent, named.endlessBody, named.notHttp, closed].map(ask))).toEqual(
      Array.from({ length: 5 }),
    );
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });
});
