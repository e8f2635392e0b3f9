import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { type Family, makeFamily } from "./family.ts";
import type { Issued } from "./issue.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const SCRIPT = `
import { certificatesOfPem } from "./workers/prober/tls/pem.ts";
import { rootStore } from "./workers/prober/tls/roots.ts";
import { makeVerifier } from "./workers/prober/tls/verify/verifier.ts";
const { root, chain } = JSON.parse(process.env.CASE);
const der = (pem) => certificatesOfPem(pem).certificates;
const verdict = makeVerifier(rootStore(der(root)))(der(chain), "shop.test", Date.now());
console.log(JSON.stringify({ zone: new Date().getTimezoneOffset(), fault: verdict.fault, expiresAt: verdict.expiresAt }));
`;

let family: Family;
beforeAll(async () => {
  family = await makeFamily();
});

/** The verdict of a process whose clock is shown in `zone`. */
async function verdictIn(zone: string, leaf: Issued) {
  const chain = leaf.certificate + family.intermediate.certificate;
  const env = { ...process.env, TZ: zone, CASE: JSON.stringify({ root: family.root.certificate, chain }) };
  const args = ["--input-type=module-typescript", "--eval", SCRIPT];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout) as { zone: number; fault?: { reason: string; message: string }; expiresAt: number };
}

describe("times are instants, wherever the process runs", () => {
  const zones = ["America/Los_Angeles", "UTC", "Asia/Tokyo"];

  it.each(zones)("a leaf that expired two hours ago is expired in %s", async (zone) => {
    const endMs = Date.now() - 2 * HOUR_MS;
    const { fault } = await verdictIn(zone, await family.leaf({ startMs: endMs - HOUR_MS, endMs }));
    expect(fault?.reason).toBe("CertificateExpired");
    expect(fault?.message).toContain(new Date(endMs).toISOString().slice(0, 19));
  });

  it.each(zones)("a leaf that is valid in ten minutes is not yet valid in %s", async (zone) => {
    const { fault } = await verdictIn(zone, await family.leaf({ startMs: Date.now() + 10 * MINUTE_MS }));
    expect(fault?.reason).toBe("CertificateNotYetValid");
  });

  it("a leaf that ends in two hours is good and ends at the same instant in all of them", async () => {
    const leaf = await family.leaf({ endMs: Date.now() + 2 * HOUR_MS });
    const verdicts = await Promise.all(zones.map((zone) => verdictIn(zone, leaf)));
    expect(verdicts.map(({ fault }) => fault)).toEqual([undefined, undefined, undefined]);
    expect(new Set(verdicts.map(({ expiresAt }) => expiresAt)).size).toBe(1);
    expect(new Set(verdicts.map(({ zone }) => zone)).size).toBe(3);
  });
});
