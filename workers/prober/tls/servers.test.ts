import { beforeAll, describe, expect, inject, it } from "vitest";
import { free, reach } from "../../../test/support/reach.ts";
import { CASES, type Case, HOST, INSTALL, NEEDLE, titleOf } from "../../../test/tls-servers/case.ts";
import { askAddress } from "../ask-address.ts";
import type { Finding, Question } from "../question.ts";

const { control, missing } = inject("liveServers");

async function start(what: string | number): Promise<number> {
  const response = await fetch(`${control}/${what}`, { method: "POST" });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return Number(text);
}

function ask(port: number, change: Partial<Question> = {}): Promise<Finding> {
  const question: Question = {
    protocol: "HTTPS",
    address: "127.0.0.1",
    port,
    host: HOST,
    path: "/page.txt",
    expectation: { statuses: [{ from: 200, to: 200 }], body: NEEDLE },
    headers: {},
    userAgent: "Vedette/test",
    timeoutMs: 5_000,
    ...change,
  };
  return askAddress(reach, question, free);
}

const numbered = CASES.map((one, n) => ({ n, one, title: titleOf(one) }));
const present = numbered.filter(({ one }) => !missing.includes(one.server));

describe("a handshake and an exchange with", () => {
  for (const name of missing) {
    if (name !== "Node") it.skip(`${name}: NOT RUN, it is not installed: ${INSTALL[name].command}`);
  }

  it.each(present)("$title", async ({ n, one }) => {
    const finding = await ask(await start(n));
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
    port = await start("names");
  });

  it.each(["one.test", "two.test"])("%s gets its own", async (host) => {
    expect(await ask(port, { host })).toMatchObject({ reason: "Ok" });
  });

  it("a wrong host is told which names the certificate has", async () => {
    const finding = await ask(port, { host: "three.test" });
    expect(finding.reason).toBe("CertificateNameMismatch");
    expect(finding.message).toMatch(/one\.test.*three\.test/);
    expect(finding.tls?.version).toBe("TLSv1.3");
  });
});
