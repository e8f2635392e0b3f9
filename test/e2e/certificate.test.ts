import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { why } from "../../local/narrator.ts";
import { type Gateway, makeGatewayIdentities, startGateway } from "../../local/sample-gateways.ts";
import type { Reason } from "../../shared/reason.ts";
import type { DnsRecorder } from "./support/dns.ts";
import { PATIENCE_MS, recordYaml } from "./support/records.ts";
import { startWorld, type World } from "./support/stack.ts";
import { until } from "./support/until.ts";

const HOST = "shop.example.test";
const LAX = "lax.example.test";
const ADDRESSES = ["127.0.0.31", "127.0.0.32"];
const [FIRST, SECOND] = ADDRESSES as [string, string];
const ALL = ADDRESSES.join(" ");
const identities = await makeGatewayIdentities(["*.example.test"], Date.now());

let world: World;
let dns: DnsRecorder;
let lax: DnsRecorder;
const gateways: Gateway[] = [];

beforeAll(async () => {
  // A busy machine needs a while for a handshake: longer rounds, and fewer of them.
  const check = { protocol: "HTTPS", interval: "2s", timeout: "2s", failureThreshold: 1, successThreshold: 1 };
  world = await startWorld({
    records: (port) => ({
      "shop.yaml": recordYaml(HOST, port, { targets: ADDRESSES, check }),
      "lax.yaml": recordYaml(LAX, port, {
        targets: ADDRESSES,
        check: { ...check, allowInsecureCertificate: true },
      }),
    }),
    extraRoots: identities.authority,
  });
  for (const [index, address] of ADDRESSES.entries()) {
    gateways.push(await startGateway({ number: index + 1, address, port: world.gatewayPort, identities }));
  }
  dns = world.record(HOST);
  lax = world.record(LAX);
});
afterAll(async () => {
  await world?.stop();
  await Promise.all(gateways.map((gateway) => gateway.stop()));
});
beforeEach(async ({ onTestFailed }) => {
  onTestFailed(() => world.explain(HOST));
  await answered(dns, ALL);
  await answered(lax, ALL);
});

async function answered(recorder: DnsRecorder, text: string): Promise<void> {
  await until(
    `the answer ${text}`,
    () => recorder.last === text,
    PATIENCE_MS,
    () => recorder.seen,
  );
}

async function observationsOf(host: string) {
  const record = await world.stack.readRecord(host);
  const probe = record?.probes.find(({ leaf }) => leaf === FIRST);
  return { record, seen: (probe?.regions ?? []).flatMap(({ observation }) => observation ?? []) };
}

test("a certificate that is good: how it is, and until when, is kept with the observation", async () => {
  const seen = await until("all regions to have seen it", async () => {
    const { seen: now } = await observationsOf(HOST);
    return now.length === 3 && now.every(({ reason }) => reason === "Ok") && now;
  });
  for (const { tls, phases } of seen) {
    expect(tls).toMatchObject({ version: "TLSv1.3", cipherSuite: expect.stringMatching(/^TLS_/) });
    expect(tls?.notAfter).toBeGreaterThan(Date.now());
    expect(tls?.expiresAt).toBeLessThanOrEqual(tls?.notAfter ?? 0);
    expect(phases.tlsMs).toBeGreaterThanOrEqual(phases.connectMs ?? Number.NaN);
  }
});

test.each<["expired" | "misnamed", Reason]>([
  ["expired", "CertificateExpired"],
  ["misnamed", "CertificateNameMismatch"],
])("a certificate that is %s: the address leaves DNS for %s; renewed: it is back", async (breakage, reason) => {
  const mark = lax.mark;
  await gateways[0]?.change(breakage);
  await answered(dns, SECOND);
  await until(`all regions to say ${reason}`, async () => {
    const { record, seen } = await observationsOf(HOST);
    const said = record === undefined ? "" : why(record, FIRST, Date.now());
    return (
      /^3 of 3 regions \(.*\) say certificate .* since .* threshold \d+\. The certificate/.test(said) &&
      seen.every((observation) => observation.reason === reason)
    );
  });
  // Where a bad certificate is allowed the address stays, and what was let pass is shown.
  await until("all regions to tell what was let pass", async () => {
    const { seen } = await observationsOf(LAX);
    return seen.length === 3 && seen.every((one) => one.reason === "Ok" && one.tls?.skipped?.reason === reason);
  });
  expect(lax.since(mark)).toEqual([ALL]);
  await gateways[0]?.change(undefined);
  await answered(dns, ALL);
});
