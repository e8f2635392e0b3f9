import { describe, expect, it } from "vitest";
import { hostFaults } from "./allowed-hosts.ts";
import type { Endpoint } from "./model/endpoint.ts";

const endpoint = (dnsName: string): Endpoint => ({
  dnsName,
  recordType: "A",
  recordTTL: 60,
  targets: ["203.0.113.10"],
});
const fieldsOf = (rootHost: string, names: string[], hosts: string[]) =>
  hostFaults({ rootHost, endpoints: names.map(endpoint) }, hosts).map(({ field, value }) => `${field} ${value}`);

describe("the hosts a cluster may name", () => {
  it.each([
    ["api.example.com", ["api.example.com"], ["api.example.com"]],
    ["api.example.com", ["eu.api.example.com", "api.example.com"], ["api.example.com"]],
    ["api.example.com", ["api.example.com"], ["*.example.com"]],
    ["a.b.example.com", ["a.b.example.com"], ["*.example.com"]],
    ["*.example.com", ["*.example.com"], ["*.example.com"]],
    ["*.example.com", ["*.example.com", "example.com"], ["*.example.com", "example.com"]],
  ])("%s with %j is allowed by %j", (rootHost, names, hosts) => {
    expect(fieldsOf(rootHost, names, hosts)).toEqual([]);
  });

  it.each([
    ["example.com", ["example.com"], ["*.example.com"]],
    ["example.org", ["example.org"], ["example.com", "*.example.com"]],
    ["eu.api.example.com", ["eu.api.example.com"], ["api.example.com"]],
    ["evilexample.com", ["evilexample.com"], ["*.example.com", "example.com"]],
    ["api.example.com", ["api.example.com"], []],
  ])("%s with %j is not allowed by %j", (rootHost, names, hosts) => {
    expect(fieldsOf(rootHost, names, hosts)).toEqual([`spec.rootHost ${rootHost}`]);
  });

  it("a wildcard does not reach its own apex through an endpoint", () => {
    expect(fieldsOf("*.example.com", ["*.example.com", "example.com"], ["*.example.com"])).toEqual([
      "spec.endpoints[1].dnsName example.com",
    ]);
  });
});
