import { describe, expect, it } from "vitest";
import { dnsRecord, objectOf, type RecordGiven, recordsOf } from "../../test/support/agent/kube-objects.ts";
import type { State } from "../status/state.ts";
import { endpointObjects } from "./endpoint-object.ts";

const served = [
  { dnsName: "x.test", recordType: "CNAME" as const, recordTTL: 60, targets: ["lb.test"], setIdentifier: "lb.test" },
];
const wantedOf = (records: RecordGiven[], hosts: State["hosts"]) =>
  endpointObjects(recordsOf(records.map(dnsRecord)).records, hosts);

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
});
