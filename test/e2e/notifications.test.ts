import { afterAll, beforeAll, expect, test } from "vitest";
import { type Notification, notification } from "../../shared/model/notification.ts";
import { signatureFault } from "../../shared/signature.ts";
import type { Notified } from "../receivers/notified.ts";
import { startReceivers } from "../receivers/receiver.ts";
import { LEAVES_WITHIN_MS, PATIENCE_MS, RETURNS_WITHIN_MS, recordYaml } from "./support/records.ts";
import { logOf, startWorld, type World } from "./support/stack.ts";
import { until } from "./support/until.ts";

const HOST = "shop.example.test";
const ADDRESSES = ["127.0.0.11", "127.0.0.12"];
const SECRET = `whsec_${btoa("canary-of-notifications-")}`;
const VIEW = "https://vedette.example.com";

let receivers: Awaited<ReturnType<typeof startReceivers>>;
let world: World;

beforeAll(async () => {
  receivers = await startReceivers();
  const ops = { name: "ops", kind: "generic", url: `${receivers.url}/notify/ops`, secret: SECRET };
  world = await startWorld({
    addresses: ADDRESSES,
    records: (port) => ({ "shop.yaml": recordYaml(HOST, port, { targets: ADDRESSES }) }),
    edgeSettings: {
      NOTIFICATIONS: JSON.stringify([{ ...ops, minDuration: "1s", groupWindow: "0s" }]),
      PUBLIC_URL: VIEW,
    },
  });
});
afterAll(async () => {
  await world?.stop();
  await receivers?.stop();
});

const received = async (): Promise<Notified[]> => (await fetch(`${receivers.url}/notified/ops`)).json() as never;
const changesOf = async () => (await received()).flatMap(({ body }) => (body as Notification).changes);

test("a gateway that breaks is told once, with the sentence, and its end once", async ({ onTestFailed }) => {
  onTestFailed(() => world.explain(HOST));
  await until("both to be published", async () => {
    const record = await world.stack.readRecord(HOST);
    return record?.leaves.filter(({ published, reason }) => published && reason === "Healthy").length === 2;
  });
  await world.gateways[1]?.change("status");
  await until("the beginning", async () => (await changesOf()).length === 1, LEAVES_WITHIN_MS + PATIENCE_MS);
  await world.gateways[1]?.change(undefined);
  await until("the end", async () => (await changesOf()).length === 2, RETURNS_WITHIN_MS + PATIENCE_MS);
  const [began, ended] = await changesOf();
  expect(began).toMatchObject({
    type: "Began",
    key: `record/${HOST}`,
    kind: "RecordDegraded",
    severity: "warning",
    link: `${VIEW}/records/${HOST}`,
    summary: expect.stringMatching(
      /^127\.0\.0\.12 withheld: \d of 3 regions \([a-z, ]+\) say unexpected status 5\d\d since \d\d:\d\d:\d\d; \d+ failures, threshold 2$/,
    ),
  });
  expect(ended).toMatchObject({ type: "Ended", incident: began?.incident });
  for (const { body, headers, text } of await received()) {
    expect(notification.safeParse(body).success).toBe(true);
    const signed = {
      webhookId: headers["webhook-id"],
      webhookTimestamp: headers["webhook-timestamp"],
      webhookSignature: headers["webhook-signature"],
      body: text,
    };
    expect(signatureFault(signed, [SECRET], Date.now())).toBeUndefined();
  }
  expect(logOf(world.stack, "edge")).not.toContain(SECRET.slice("whsec_".length));
});
