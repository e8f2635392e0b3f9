import { afterEach, expect, test } from "vitest";
import { KubeClient } from "../../../agent/kubernetes/client.ts";
import type { KubeObject } from "../../../agent/kubernetes/object.ts";
import { until } from "../../e2e/support/until.ts";
import { sharedCluster } from "../support/shared.ts";
import { type Fault, FaultyProxy } from "./faulty-proxy.ts";
import { CONFIG_MAP, configMap, Followed } from "./followed.ts";

const json = (status: number, reason: string): Fault => ({
  status,
  type: "application/json",
  body: JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code: status, reason, message: "no" }),
});

const FAULTS: Record<string, Fault> = {
  "500": json(500, "InternalError"),
  "403": json(403, "Forbidden"),
  "429": json(429, "TooManyRequests"),
  "410": json(410, "Expired"),
  "404 of a proxy": { status: 404, type: "text/plain", body: "default backend - 404" },
  "HTML and 502": { status: 502, type: "text/html", body: "<html>bad gateway</html>" },
  "HTML and 200": { status: 200, type: "text/html", body: "<html>log in</html>\n" },
  "an empty 200": { status: 200, type: "application/json", body: "" },
  "an answer cut off": "truncated",
  "an answer shortened": "shortened",
  "no answer": "hanging",
  silence: "silent",
  "a reset connection": "reset",
};

type Where = "lists" | "watches" | "everything";

const cluster = sharedCluster();
const truth = new KubeClient(cluster.config);
const ending: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(ending.splice(0).map((end) => end()));
});

async function follow(where: Where) {
  const namespace = await cluster.freshNamespace("faults");
  for (const name of ["a", "b"]) await truth.create(CONFIG_MAP, configMap(namespace, name));
  const proxy = new FaultyProxy(cluster.config);
  const resyncMs = where === "lists" ? 6_000 : 600_000;
  const followed = new Followed(await proxy.start(), truth, namespace, { resyncMs, quietMs: 8_000 });
  ending.push(async () => {
    await followed.informer.stop();
    await proxy.stop();
  });
  await followed.agrees();
  return { namespace, proxy, followed };
}

/** Lives through one fault. Returns what it saw. */
async function endure(where: Where, fault: Fault) {
  const { namespace, proxy, followed } = await follow(where);
  const versions = new Set(followed.held);
  const note = ({ metadata }: KubeObject) => versions.add(`${metadata.name}@${metadata.resourceVersion}`);
  const write = async (value: string) =>
    note(await truth.apply(CONFIG_MAP, configMap(namespace, "b", value), { fieldManager: "test" }));
  proxy.faultFor = ({ isWatch }) => (where === "everything" || isWatch === (where === "watches") ? fault : undefined);
  proxy.cut();
  await write("1");
  note(await truth.create(CONFIG_MAP, configMap(namespace, "c")));
  await truth.delete(CONFIG_MAP, { name: "a", namespace });
  await until("the faults to be met", () => proxy.faulted >= 3);
  const { faulted } = proxy;
  const wronglyRemoved = followed.removed.filter((name) => name !== "a");
  const { isSynced } = followed.informer;
  await write("2");
  proxy.faultFor = () => undefined;
  proxy.cut();
  await followed.agrees();
  await until("the trouble to be over", () => followed.informer.lastError === undefined);
  const invented = followed.came.filter((version) => !versions.has(version));
  return { isCalm: faulted <= 5, isSynced, wronglyRemoved, removed: followed.removed, invented };
}

test.each<Where>(["lists", "watches", "everything"])(
  "whatever a proxy does to %s: nothing lost, nothing invented, no hot loop",
  async (where) => {
    const endured = await Promise.all(
      Object.entries(FAULTS).map(async ([name, fault]) => {
        const seen = await endure(where, fault).catch((error: Error) => error.message);
        return [name, seen] as const;
      }),
    );
    const well = { isCalm: true, isSynced: true, wronglyRemoved: [], removed: ["a"], invented: [] };
    expect(Object.fromEntries(endured)).toEqual(Object.fromEntries(Object.keys(FAULTS).map((name) => [name, well])));
  },
);
