import { expect, test } from "vitest";
import type { ProbeStatus } from "../../../shared/model/status.ts";
import { certificateEnd } from "./certificate.ts";

const NOW = Date.UTC(2026, 10, 30, 12);
const DAY = 86_400_000;

function probe(...ends: { expiresAt?: number; notAfter?: number }[]): ProbeStatus {
  const regions = ends.map((end) => ({ observation: { tls: { version: "TLSv1.3", cipherSuite: "x", ...end } } }));
  return { regions } as unknown as ProbeStatus;
}

test("the earliest end of all regions counts, of the chain and of the certificate", () => {
  const seen = certificateEnd([probe({ notAfter: NOW + 90 * DAY, expiresAt: NOW + 40 * DAY }, {})], NOW);
  expect(seen).toEqual({ endsAt: NOW + 40 * DAY, daysLeft: 40, level: "ok", words: "ends in 40 days" });
});

test.each([
  [14 * DAY, "ok", "ends in 14 days"],
  [14 * DAY - 1, "soon", "ends in 13 days"],
  [DAY, "soon", "ends in 1 day"],
  [5_000, "soon", "ends within a day"],
  [0, "ended", "ended today"],
  [-3 * DAY, "ended", "ended 3 days ago"],
])("%i ms from now: %s, %s", (leftMs, level, words) => {
  expect(certificateEnd([probe({ notAfter: NOW + leftMs })], NOW)).toMatchObject({ level, words });
});

test("nothing where no certificate was seen", () => {
  expect(certificateEnd([probe({})], NOW)).toBeUndefined();
  expect(certificateEnd([], NOW)).toBeUndefined();
});
