import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Scene } from "./support/scene.ts";
import { sharedCluster } from "./support/shared.ts";
import { until } from "./support/world.ts";

const ADDRESSES = ["127.0.0.111", "127.0.0.112"] as const;
const CANARY = "S3CR3T-canary";
const VALUES = {
  first: `${CANARY}-first`,
  second: `${CANARY}-second`,
  broken: `${CANARY}-broken`,
  host: `${CANARY}-host`,
};
const GRANT = /kubectl (-n \S+ create rolebinding \S+ --clusterrole=\S+ --serviceaccount=\S+)/;

let scene: Scene;
let host: string;

beforeAll(async () => {
  scene = await Scene.start(sharedCluster(), ADDRESSES);
  host = `secret.${scene.zone}`;
});
afterAll(() => scene?.stop());
beforeEach(({ onTestFailed }) => onTestFailed(() => scene.explain()));

const secret = (stringData: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "probe-headers", namespace: scene.namespace },
  stringData,
});

/** Replaces it whole: applied by a person, it would not lose keys that it no longer has. */
async function setSecret(stringData: Record<string, string>): Promise<void> {
  const text = JSON.stringify(secret(stringData));
  const { code } = await scene.world.cluster.kubectl(["replace", "-f", "-"], text);
  if (code !== 0) await scene.world.cluster.kubectlOk(["create", "-f", "-"], text);
}

const sentTo = (index: number) => scene.gateways[index]!.asked.map((headers) => headers["x-probe-key"]);

/** Waits until every probe that comes carries the value. */
function untilSent(value: string): Promise<unknown> {
  return until(`every gateway to be sent the value`, () =>
    ADDRESSES.every((_, index) => sentTo(index).at(-1) === value),
  );
}

/** Waits until the record says what is wrong with its headers. */
function untilTrouble(part: string): Promise<string> {
  let last: unknown;
  return until(
    `HeadersReady to say "${part}"`,
    async () => {
      const condition = await scene.condition("secret", "HeadersReady");
      last = condition;
      return condition?.status === "False" && condition.message.includes(part) && condition.message;
    },
    60_000,
    () => last,
  );
}

/** The condition is there only while something is wrong. */
function untilUsable(): Promise<unknown> {
  return until("HeadersReady to be gone", async () => (await scene.condition("secret", "HeadersReady")) === undefined);
}

/** How many probes of a host came to the gateways. */
const askedFor = (name: string) =>
  scene.gateways.flatMap(({ asked }) => asked).filter((headers) => headers.host?.startsWith(name)).length;

/** Waits until three rounds of another record's probes have come and none of this one. Returns how many came before. */
function untilResting(): Promise<number> {
  return until(
    "the probes to rest",
    async () => {
      const [own, others] = [askedFor("secret."), askedFor("other.")];
      await until("the other record to be probed on", () => askedFor("other.") >= others + 18);
      return askedFor("secret.") === own && own;
    },
    90_000,
  );
}

test("may not be read: the condition names the command, and once that was run it heals by itself", async () => {
  await setSecret({ "X-Probe-Key": VALUES.first });
  const headers = { additionalHeadersRef: { name: "probe-headers" }, allowHeadersInCleartext: true };
  await scene.world.apply(
    scene.record("secret", { rootHost: host, addresses: ADDRESSES, healthCheck: headers }),
    scene.record("other", { rootHost: `other.${scene.zone}`, addresses: ADDRESSES }),
  );
  const message = await untilTrouble("forbidden");
  console.log(message);
  expect(askedFor("secret.")).toBe(0);
  const [, command = ""] = GRANT.exec(message) ?? [];
  await scene.kubectl(...command.split(" "));
  await untilSent(VALUES.first);
  await scene.untilPublished(host, ADDRESSES);
  await untilUsable();
});

test("rotated: the probes send the new value", async () => {
  const mark = scene.published.mark(host);
  await setSecret({ "X-Probe-Key": VALUES.second });
  await untilSent(VALUES.second);
  expect(scene.published.since(host, mark)).toEqual([ADDRESSES.join(" ")]);
});

test.each([
  ["a line break within a value", { "X-Probe-Key": `x\r\nHost: ${VALUES.broken}` }, "X-Probe-Key"],
  ["a header that says where the request goes", { Host: VALUES.host }, "Host"],
])("malformed, %s: the probes rest, the condition names the header, and nothing leaves DNS", async (_, data, named) => {
  const mark = scene.published.mark(host);
  await setSecret(data);
  const message = await untilTrouble(named);
  console.log(message);
  await untilResting();
  expect(scene.published.since(host, mark)).toEqual([ADDRESSES.join(" ")]);
  await setSecret({ "X-Probe-Key": VALUES.second });
  await untilUsable();
});

test("deleted while in use: the probes rest and nothing leaves DNS, though a gateway breaks meanwhile; made again: probed again", async () => {
  const mark = scene.published.mark(host);
  await scene.kubectl("delete", "secret", "probe-headers", "-n", scene.namespace);
  console.log(await untilTrouble("does not exist"));
  const asked = await untilResting();
  scene.gateways[0]!.status = 500;
  await scene.untilPublished(`other.${scene.zone}`, [ADDRESSES[1]]);
  expect(await untilResting()).toBe(asked);
  expect(scene.published.since(host, mark)).toEqual([ADDRESSES.join(" ")]);
  await setSecret({ "X-Probe-Key": VALUES.first });
  await scene.untilPublished(host, [ADDRESSES[1]]);
  scene.gateways[0]!.status = 200;
  await scene.untilPublished(host, ADDRESSES);
  await untilSent(VALUES.first);
});

test("that it could not be used, and then could, are events of the record", async () => {
  const events = await scene.events("secret");
  expect(events).toEqual(expect.arrayContaining(["Warning SecretUnusable", "Normal HeadersReady"]));
});

test("its value is nowhere but in the Secret and at the gateways", async () => {
  const { world, namespace } = scene;
  const surfaces: Record<string, string> = {
    "agent's log": world.replicas[0]!.log,
    metrics: JSON.stringify(await world.replicas[0]!.metrics()),
    "edge's log": world.edge.log(),
    "audit log": readFileSync(world.cluster.access.auditLog, "utf8"),
  };
  for (const kind of [
    "dnsrecords.vedette.dev",
    "dnshealthcheckprobes.vedette.dev",
    "dnshealthcheckpolicies.vedette.dev",
    "dnsendpoints",
    "events",
    "gateways",
  ])
    surfaces[kind] = JSON.stringify(await world.list(kind, namespace));
  surfaces.leases = JSON.stringify(await world.list("leases", "vedette-system"));
  for (const path of [
    "/v1/records",
    `/v1/records/${host}`,
    `/v1/probes/${world.name}/${namespace}/secret/${ADDRESSES[0]}`,
    "/v1/clusters",
    `/v1/clusters/${world.name}`,
    "/v1/regions",
    "/v1/events",
  ])
    surfaces[path] = JSON.stringify(await world.edge.read(path));
  const forms = [CANARY, Buffer.from(CANARY).toString("base64").slice(0, 16), encodeURIComponent(CANARY)];
  const leaks = Object.entries(surfaces).flatMap(([name, text]) =>
    forms.some((one) => text.includes(one)) ? [name] : [],
  );
  console.log(
    Object.entries(surfaces)
      .map(([name, text]) => `${name}: ${text.length}`)
      .join(", "),
  );
  expect(leaks).toEqual([]);
  // Each was read, and is no error in its place.
  expect(Object.keys(surfaces).filter((name) => surfaces[name]?.includes('"title":'))).toEqual([]);
  expect(sentTo(0)).toContain(VALUES.second);
});
