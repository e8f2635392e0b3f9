import { beforeAll, describe, expect, inject, it } from "vitest";
import { askHttps, startLive } from "../../../test/support/live.ts";
import { CASES, type Case, INSTALL, titleOf } from "../../../test/tls-servers/case.ts";

const { missing } = inject("liveServers");

const numbered = CASES.map((one, n) => ({ n, one, title: titleOf(one) }));
const present = numbered.filter(({ one }) => !missing.includes(one.server));

describe("a handshake and an exchange with", () => {
  for (const name of missing) {
    if (name !== "Node") it.skip(`${name}: NOT RUN, it is not installed: ${INSTALL[name].command}`);
  }

  it.each(present)("$title", async ({ n, one }) => {
    const finding = await askHttps(await startLive(n));
    expect(finding, finding.message).toMatchObject({ reason: "Ok", httpStatus: 200, tls: expectedOf(one) });
    expect(finding.tls?.notAfter).toBeGreaterThan(Date.now());
    expect(finding.tls?.expiresAt).toBeLessThanOrEqual(finding.tls?.notAfter ?? 0);
    const { connectMs = Number.NaN, tlsMs = Number.NaN, firstByteMs = Number.NaN, totalMs } = finding.phases;
    expect([connectMs, tlsMs, firstByteMs, totalMs]).toEqual(
      [connectMs, tlsMs, firstByteMs, totalMs].sort((a, b) => a - b),
    );
  });
});

function expectedOf({ version, suite }: Case): object {
  return { version, ...(suite !== undefined && { cipherSuite: suite }) };
}

describe.skipIf(missing.includes("nginx"))("two hosts on one address, each with its own certificate (nginx)", () => {
  let port: number;
  beforeAll(async () => {
    port = await startLive("names");
  });

  it.each(["one.test", "two.test"])("%s gets its own", async (host) => {
    expect(await askHttps(port, { host })).toMatchObject({ reason: "Ok" });
  });

  it("a wrong host is told which names the certificate has", async () => {
    const finding = await askHttps(port, { host: "three.test" });
    expect(finding.reason).toBe("CertificateNameMismatch");
    expect(finding.message).toMatch(/one\.test.*three\.test/);
    expect(finding.tls?.version).toBe("TLSv1.3");
  });
});
