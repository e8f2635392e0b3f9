import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { type Capture, startCapture } from "./support/capture.ts";
import { dig } from "./support/dns.ts";
import { type Doh, startDoh } from "./support/doh.ts";
import { PATIENCE_MS, recordYaml } from "./support/records.ts";
import { logOf, startWorld, type World } from "./support/stack.ts";
import { until } from "./support/until.ts";

const ADDRESSES = ["127.0.0.17", "127.0.0.18", "127.0.0.19"];
const CAPTURING = "127.0.0.20";
const CANARY = "S3CR3T-canary-value-0123456789";

let world: World;
let doh: Doh;
let capture: Capture;

beforeAll(async () => {
  doh = await startDoh();
  doh.set("any.elsewhere.test", ADDRESSES.slice(0, 2));
  doh.set("all.elsewhere.test", ADDRESSES.slice(0, 2));
  world = await startWorld({
    addresses: ADDRESSES,
    edgeSettings: { RESOLVER_URL: doh.url },
    records: (port) => ({
      "first.yaml": recordYaml("first.example.test", port, { targets: ADDRESSES }),
      "plain.yaml": recordYaml("plain.example.test", port, { targets: ["192.0.2.1", "192.0.2.2"], check: null }),
      "any.yaml": cname("any", port, "Any"),
      "all.yaml": cname("all", port, "All"),
      "secret.yaml": `${secretRecord(port)}---\n${secretManifest}`,
    }),
  });
  capture = await startCapture(CAPTURING, world.gatewayPort);
});
afterAll(async () => {
  await world?.stop();
  await capture?.stop();
  await doh?.stop();
});

const cname = (name: string, port: number, addressPolicy: string) =>
  recordYaml(`${name}.example.test`, port, {
    recordType: "CNAME",
    targets: [`${name}.elsewhere.test`],
    check: { addressPolicy },
  });

const secretRecord = (port: number) =>
  recordYaml("secret.example.test", port, {
    targets: [CAPTURING],
    check: { additionalHeadersRef: { name: "probe-headers" }, allowHeadersInCleartext: true },
  });

const secretManifest = stringify({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "probe-headers", namespace: "shop" },
  stringData: { "X-Api-Key": CANARY },
});

async function verdictOf(host: string): Promise<string | undefined> {
  return (await world.stack.readRecord(host))?.probes[0]?.verdict;
}

async function untilVerdict(host: string, verdict: string, limitMs = PATIENCE_MS): Promise<void> {
  await until(`${host} to be ${verdict}`, async () => (await verdictOf(host)) === verdict, limitMs);
}

async function untilAnswer(name: string, targets: readonly string[], limitMs = PATIENCE_MS): Promise<void> {
  const seen: unknown[] = [];
  const isThere = async () => {
    const answer = await dig(world.dns, name);
    seen[0] = answer;
    return answer.targets.join() === targets.join();
  };
  await until(`${name} to be ${targets.join(" ")}`, isThere, limitMs, () => seen[0]);
}

test("a record without a health check is published as it is", async () => {
  await untilAnswer("plain.example.test", ["192.0.2.1", "192.0.2.2"]);
  const record = await world.stack.readRecord("plain.example.test");
  expect(record?.probes).toEqual([]);
  expect(record?.leaves.map(({ reason }) => reason)).toEqual(["NotProbed", "NotProbed"]);
});

test("a leaf that is a host name is resolved by DNS over HTTPS, and every address asked", async () => {
  await untilVerdict("any.example.test", "Healthy");
  await untilVerdict("all.example.test", "Healthy");
  for (const family of ["A", "AAAA"]) expect(doh.asked).toContain(`any.elsewhere.test ${family}`);
  await world.gateways[1]!.change("status");
  await untilVerdict("all.example.test", "Unhealthy");
  expect(await verdictOf("any.example.test")).toBe("Healthy");
  await world.gateways[0]!.change("status");
  await untilVerdict("any.example.test", "Unhealthy");
  for (const gateway of world.gateways) await gateway.change(undefined);
  await untilVerdict("any.example.test", "Healthy");
  await untilVerdict("all.example.test", "Healthy");
});

test("a record added while others run is answered, and the others neither restart nor recount", async () => {
  await untilAnswer("first.example.test", ADDRESSES);
  await untilVerdict("first.example.test", "Healthy");
  const standing = async () =>
    (await world.stack.readRecord("first.example.test"))?.probes.map(({ id, verdict, since, provenAt }) => ({
      id,
      verdict,
      since,
      provenAt,
    }));
  const before = await standing();
  expect(before).toHaveLength(3);
  world.write("added.yaml", recordYaml("added.example.test", world.gatewayPort, { targets: ADDRESSES.slice(1) }));
  await untilAnswer("added.example.test", ADDRESSES.slice(1));
  await untilVerdict("added.example.test", "Healthy");
  expect(await standing()).toEqual(before);
});

test("a manifest broken while it is watched is reported with its field, and its last good state stays", async () => {
  const good = recordYaml("added.example.test", world.gatewayPort, { targets: ADDRESSES.slice(1) });
  await untilAnswer("added.example.test", ADDRESSES.slice(1));
  world.write("added.yaml", good.replace("interval: 1s", "interval: sometimes"));
  await until("the fault in the agent's log", () => /added\.yaml.*interval/s.test(logOf(world.stack, "agent")));
  world.write("added.yaml", "apiVersion: vedette.dev/v1alpha1\nkind: [unclosed\n");
  await until("the line in the agent's log", () => /added\.yaml:\d+/.test(logOf(world.stack, "agent")));
  expect((await dig(world.dns, "added.example.test")).targets).toEqual(ADDRESSES.slice(1));
  await world.gateways[1]!.change("status");
  await untilAnswer("added.example.test", [ADDRESSES[2]!]);
  await world.gateways[1]!.change(undefined);
  world.write("added.yaml", good);
  await untilAnswer("added.example.test", ADDRESSES.slice(1));
});

test("the value of a secret header reaches the gateway, and nothing and nobody else", async () => {
  await untilVerdict("secret.example.test", "Healthy");
  const request = capture.requests.at(-1);
  expect(request?.headers["x-api-key"]).toBe(CANARY);
  expect(request?.headers.host).toBe(`secret.example.test:${world.gatewayPort}`);
  expect(request?.headers["user-agent"]).toMatch(/^Vedette\/\S+ \(\+https?:\/\/\S+; region=(weur|enam|apac)\)$/);

  const record = await world.stack.readRecord("secret.example.test");
  const probe = encodeURIComponent(record?.probes[0]?.id ?? "");
  const paths = ["/v1/records", "/v1/records/secret.example.test", `/v1/probes/${probe}`, "/v1/regions", "/v1/events"];
  for (const path of [...paths, "/v1/clusters", "/v1/clusters/local", "/openapi.json", "/healthz", "/"]) {
    expect(leaks(JSON.stringify((await world.stack.readEdge(path)) ?? "")), path).toBe(false);
  }
  const files = filesUnder(world.state);
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) expect(leaks(readFileSync(file, "latin1")), file).toBe(false);
});

/** Whether the text holds the canary, as it is or in base64 at any offset. */
function leaks(text: string): boolean {
  const encoded = [0, 1, 2].map((offset) => Buffer.from(CANARY.slice(offset)).toString("base64").slice(0, 24));
  return [CANARY, ...encoded].some((needle) => text.includes(needle));
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
