import { expect, it } from "vitest";
import { dnsRecord } from "../../test/support/agent/kube-objects.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { isSpecChange } from "./informers.ts";

const record = dnsRecord({ name: "api" });
const having = (metadata: Partial<KubeObject["metadata"]>, more: Partial<KubeObject> = {}) => ({
  ...record,
  ...more,
  metadata: { ...record.metadata, ...metadata },
});

it.each<[string, KubeObject | undefined, KubeObject | undefined, boolean]>([
  ["one that came", undefined, record, true],
  ["one that went", record, undefined, true],
  ["one made again under its name", record, having({ uid: "another" }), true],
  ["another spec", record, having({ generation: 2 }), true],
  ["one that is being deleted", record, having({ deletionTimestamp: "2026-01-01T00:00:00Z" }), true],
  ["our finalizer read back", record, having({ finalizers: ["vedette.dev/withdraw"] }), true],
  ["what a person notes of it", record, having({ labels: { a: "b" }, annotations: { c: "d" } }), true],
  ["a status", record, having({ resourceVersion: "2" }, { status: { published: [] } }), false],
])("%s", (_, before, after, told) => {
  expect(isSpecChange(before, after)).toBe(told);
});
