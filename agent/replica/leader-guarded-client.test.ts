import { expect, test } from "vitest";
import { DNS_ENDPOINT } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { guardByLeadership, type LeaderClient } from "./leader-guarded-client.ts";

const object: KubeObject = {
  apiVersion: "externaldns.k8s.io/v1alpha1",
  kind: "DNSEndpoint",
  metadata: { name: "api" },
};

function recorder() {
  const sent: string[] = [];
  const note = (verb: string) => async () => {
    sent.push(verb);
    return object;
  };
  const verbs = ["get", "list", "watch", "read", "apply", "create", "replace", "delete"];
  return { sent, client: Object.fromEntries(verbs.map((verb) => [verb, note(verb)])) as unknown as LeaderClient };
}

test("a replica that leads writes", async () => {
  const { sent, client } = recorder();
  await guardByLeadership(client, () => true).apply(DNS_ENDPOINT, object, { fieldManager: "vedette-agent" });
  expect(sent).toEqual(["apply"]);
});

test("one that leads no more reads, and sends no write, which may be tried again by who leads then", async () => {
  const { sent, client } = recorder();
  const guarded = guardByLeadership(client, () => false);
  await guarded.get(DNS_ENDPOINT, { name: "api" });
  const writes = [
    () => guarded.apply(DNS_ENDPOINT, object, { fieldManager: "vedette-agent" }),
    () => guarded.create(DNS_ENDPOINT, object),
    () => guarded.replace(DNS_ENDPOINT, object),
    () => guarded.delete(DNS_ENDPOINT, { name: "api" }),
  ];
  for (const write of writes) await expect(write()).rejects.toMatchObject({ reason: "NotLeader", isRetryable: true });
  expect(sent).toEqual(["get"]);
});
