import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE, DNS_RECORD } from "../../agent/kubernetes/kinds.ts";
import type { DnsRecordStatus } from "../../shared/model/dns-record.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import { isNewer } from "../../shared/number.ts";
import { decision, Fed } from "./support/fed.ts";
import { sharedCluster } from "./support/shared.ts";
import { until } from "./support/world.ts";

const [A, B, C] = ["198.51.100.1", "198.51.100.2", "198.51.100.3"] as const;
const MESSAGES = 20;

let fed: Fed;
let namespace: string;

const acknowledged = async (answer: Response) =>
  ((await answer.json()) as { acknowledged: MessageNumber }).acknowledged;
const statusOf = async (name: string) => (await fed.get(DNS_RECORD, namespace, name))?.status as DnsRecordStatus;
const publishedIn = async (name: string) => (await statusOf(name)).published?.flatMap(({ targets }) => targets);

beforeAll(async () => {
  fed = await Fed.start(sharedCluster());
  await fed.add();
  await fed.leader();
});
beforeEach(async ({ onTestFailed }) => {
  fed.newEpoch();
  namespace = await fed.cluster.freshNamespace("deliveries");
  onTestFailed(() => console.log(fed.replicas[0]?.log.slice(-4_000)));
});
afterAll(() => fed?.[Symbol.asyncDispose]());

describe("many deliveries at once, beside somebody who edits labels", () => {
  const addresses = Array.from({ length: MESSAGES }, (_, index) => `198.51.100.${index + 1}`);

  /** Edits labels of the objects over and over until stopped; resolves with how often. */
  function editing() {
    let isOn = true;
    const edit = async () => {
      let edits = 0;
      for (; isOn; edits += 1)
        for (const kind of [DNS_RECORD, DNS_ENDPOINT]) {
          const metadata = { name: "shop", namespace, labels: { "team.example.com/edit": `${edits}` } };
          const object = { apiVersion: kind.apiVersion, kind: kind.kind, metadata };
          if ((await fed.get(kind, namespace, "shop")) !== undefined)
            await fed.client.apply(kind, object, { fieldManager: "somebody" });
        }
      return edits;
    };
    const edited = edit();
    return async () => {
      isOn = false;
      return await edited;
    };
  }

  test("the highest number wins, labels stay, and each answer comes after the write", async () => {
    await fed.make(namespace, "shop", addresses);
    const stop = editing();
    const numbers = addresses.map((_, index) => index + 1).sort(() => Math.random() - 0.5);
    const answers = await Promise.all(
      numbers.map(async (n) => {
        const answer = await fed.deliver(fed.number(n), [decision(namespace, "shop", [addresses[n - 1] ?? ""])]);
        const [stored, targets] = await Promise.all([fed.stored(), fed.targets(namespace, "shop")]);
        return { n, status: answer.status, number: await acknowledged(answer), stored, targets };
      }),
    );
    const edits = await stop();
    for (const { n, status, number, stored, targets } of answers) {
      expect(status).toBe(200);
      expect(isNewer(fed.number(n), number)).toBe(false);
      expect(isNewer(number, stored)).toBe(false);
      expect(addresses.indexOf(targets ?? "") + 1).toBeGreaterThanOrEqual(number.n);
    }
    const last = addresses.at(-1) ?? "";
    expect(await fed.stored()).toEqual(fed.number(MESSAGES));
    expect(await fed.targets(namespace, "shop")).toBe(last);
    await until("the status to say so", async () => (await publishedIn("shop"))?.join() === last);
    for (const kind of [DNS_RECORD, DNS_ENDPOINT]) {
      const labels = (await fed.get(kind, namespace, "shop"))?.metadata.labels;
      expect(labels?.["team.example.com/edit"]).toBe(`${edits - 1}`);
    }
    console.log(`${MESSAGES} deliveries at once beside ${edits} edits of labels: all acknowledged after the write`);
  });
});

test("an older unhealthy message after a newer healthy one changes nothing, and is answered with the newer", async () => {
  await fed.make(namespace, "shop", [A, B]);
  await fed.deliver(fed.number(5), [decision(namespace, "shop", [A, B])]);
  const answer = await fed.deliver(fed.number(4), [decision(namespace, "shop", [A], [B])]);
  expect(await acknowledged(answer)).toEqual(fed.number(5));
  expect(await fed.targets(namespace, "shop")).toBe(`${A} ${B}`);
  const { probes } = await statusOf("shop");
  expect(probes?.map(({ leaf, verdict }) => [leaf, verdict])).toEqual([
    [A, "Healthy"],
    [B, "Healthy"],
  ]);
});

test("a record that was made again under its name: what was said of the former one does it no harm", async () => {
  const former = await fed.make(namespace, "shop", [A, B]);
  await fed.deliver(fed.number(1), [decision(namespace, "shop", [A], [B])]);
  await fed.client.delete(DNS_RECORD, former.metadata);
  await until("the edge to be told that it goes", () => !fed.told(former));
  await fed.deliver(fed.number(2), []);
  await until("it to go", async () => (await fed.get(DNS_RECORD, namespace, "shop")) === undefined);

  const again = await fed.make(namespace, "shop", [B, C]);
  expect(again.metadata.uid).not.toBe(former.metadata.uid);
  // One that was under way all the time, and one that the edge sent before it knew of the new one.
  await fed.deliver(fed.number(1), [decision(namespace, "shop", [A], [B])]);
  expect((await statusOf("shop"))?.published).toBeUndefined();
  await fed.deliver(fed.number(3), [decision(namespace, "shop", [A], [B])]);
  const held = await fed.targets(namespace, "shop");
  console.log(`after a message about the former record, of ${B} and ${C} is published: ${held}`);
  expect(held ?? "").not.toContain(A);
  await fed.deliver(fed.number(4), [decision(namespace, "shop", [C], [B])]);
  expect(await fed.targets(namespace, "shop")).toBe(C);
  expect((await fed.get(DNS_ENDPOINT, namespace, "shop"))?.metadata.ownerReferences?.[0]?.uid).toBe(again.metadata.uid);
});

test("a new epoch of the edge counts above every number of the old one", async () => {
  await fed.make(namespace, "shop", [A, B]);
  const old = fed.number(9_999);
  await fed.deliver(old, [decision(namespace, "shop", [A, B])]);
  fed.newEpoch();
  expect(await acknowledged(await fed.deliver(fed.number(1), [decision(namespace, "shop", [A], [B])]))).toEqual(
    fed.number(1),
  );
  const late = await fed.deliver({ ...old, n: 10_000 }, [decision(namespace, "shop", [B], [A])]);
  expect(await acknowledged(late)).toEqual(fed.number(1));
  expect(await fed.targets(namespace, "shop")).toBe(A);
  expect(await fed.stored()).toEqual(fed.number(1));
});

test("what is delivered of a record that is not here is left alone, beside one that is", async () => {
  await fed.make(namespace, "shop", [A, B]);
  const records = [decision(namespace, "stranger", [C]), decision(namespace, "shop", [A], [B])];
  const answer = await fed.deliver(fed.number(1), records);
  expect(await acknowledged(answer)).toEqual(fed.number(1));
  expect(await fed.targets(namespace, "shop")).toBe(A);
  const names = async (kind: typeof DNS_ENDPOINT) =>
    (await fed.client.list(kind, { namespace })).items.map(({ metadata }) => metadata.name);
  expect(await names(DNS_ENDPOINT)).toEqual(["shop"]);
  expect(await names(DNS_RECORD)).toEqual(["shop"]);
  await until("the probes", async () => (await names(DNS_HEALTH_CHECK_PROBE)).length === 2);
});
