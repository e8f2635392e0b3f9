import { describe, expect, it } from "vitest";
import { delivered } from "../../../test/support/agent/delivered.ts";
import { dnsRecord, objectOf, type RecordGiven, recordsOf } from "../../../test/support/agent/kube-objects.ts";
import type { KubeObject } from "../../kubernetes/object.ts";
import type { State } from "../../status/state.ts";
import { decidedAtOf, endpointObjects } from "./endpoint-object.ts";

const served = [
  { dnsName: "x.test", recordType: "CNAME" as const, recordTTL: 60, targets: ["lb.test"], setIdentifier: "lb.test" },
];
const wantedOf = (records: RecordGiven[], hosts: State["hosts"], there?: KubeObject) =>
  endpointObjects(recordsOf(records.map(dnsRecord)).records, hosts, () => there);

describe("DNSEndpoints", () => {
  it("hold exactly what is served, and belong to the oldest record of the host", () => {
    const wanted = wantedOf(
      [
        { name: "a", host: "x.test", age: 5 },
        { name: "b", host: "x.test", age: 9 },
        { name: "c", host: "x.test", age: 9 },
      ],
      { "x.test": { served } },
    );
    expect(wanted.flatMap(objectOf)).toEqual([
      {
        apiVersion: "externaldns.k8s.io/v1alpha1",
        kind: "DNSEndpoint",
        metadata: {
          name: "b",
          namespace: "shop",
          labels: { "app.kubernetes.io/managed-by": "vedette-agent", "vedette.dev/record": "b" },
          ownerReferences: [
            { apiVersion: "vedette.dev/v1alpha1", kind: "DNSRecord", name: "b", uid: "uid-b", controller: true },
          ],
        },
        spec: { endpoints: served },
      },
    ]);
  });

  it("stay as they are while nobody has decided the host", () => {
    const wanted = wantedOf(
      [
        { name: "a", host: "x.test" },
        { name: "b", host: "x.test" },
      ],
      { "x.test": {} },
    );
    expect(wanted.map((one) => one.type === "Kept" && one.ref.name)).toEqual(["a", "b"]);
    expect(wantedOf([{ name: "a" }], {})).toMatchObject([{ type: "Kept" }]);
  });

  it("are none where nothing is to be in DNS", () => {
    expect(wantedOf([{ name: "a" }], { "a.test": { served: [] } })).toEqual([]);
  });

  it("are one for each root host, in the namespace of its record", () => {
    const hosts = { "a.test": { served: [{ ...served[0]!, dnsName: "a.test" }] }, "b.test": { served } };
    const names = wantedOf([{ name: "a" }, { name: "b" }], hosts).flatMap(objectOf);
    expect(names.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(["shop/a", "shop/b"]);
  });

  describe("tell when the decision was made by which they came to publish what they do", () => {
    const decidedAt = Date.UTC(2026, 10, 30, 12);
    const later = decidedAt + 5_000;
    const objectAt = (at: number | undefined, endpoints = served, there?: KubeObject) => {
      const decision = at === undefined ? undefined : { ...delivered("x.test", ["192.0.2.1"]), decidedAt: at };
      const host = { served: endpoints, ...(decision && { delivered: decision }) };
      const [object] = wantedOf([{ name: "x" }], { "x.test": host }, there).flatMap(objectOf);
      return object!;
    };
    const toldAt = (...given: Parameters<typeof objectAt>) => decidedAtOf(objectAt(...given));
    const other = [{ ...served[0]!, targets: ["other.test"] }];

    it("which is not written anew for a later decision by which they publish the same", () => {
      const there = objectAt(decidedAt);
      expect(there.metadata.annotations).toEqual({ "vedette.dev/decided-at": "2026-11-30T12:00:00.000Z" });
      expect(objectAt(later, served, there)).toEqual(there);
      expect(toldAt(later, other, there)).toBe(later);
    });

    it("but not in those that were written before this was told, until they publish something else", () => {
      const { annotations: _, ...metadata } = objectAt(decidedAt).metadata;
      const there = { ...objectAt(decidedAt), metadata };
      expect(objectAt(later, served, there)).toEqual(there);
      expect(toldAt(later, other, there)).toBe(later);
    });

    it("also while nobody knows the decision; what is put into DNS without one tells none", () => {
      const there = objectAt(decidedAt);
      expect(toldAt(undefined, served, there)).toBe(decidedAt);
      expect(toldAt(undefined, other, there)).toBeUndefined();
    });

    it("never later than the decision that is known: what somebody else wrote there is put right", () => {
      const { metadata } = objectAt(decidedAt);
      const annotated = (text: string) => ({
        ...objectAt(decidedAt),
        metadata: { ...metadata, annotations: { "vedette.dev/decided-at": text } },
      });
      expect(toldAt(decidedAt, served, annotated("2999-01-01T00:00:00Z"))).toBe(decidedAt);
      expect(toldAt(decidedAt, served, annotated("soon"))).toBeUndefined();
    });
  });
});
