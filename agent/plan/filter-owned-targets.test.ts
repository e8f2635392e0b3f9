import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../shared/model/endpoint.ts";
import { delivered } from "../../test/support/agent/delivered.ts";
import { foreignLeaves, leaveOut } from "./filter-owned-targets.ts";

const a = (dnsName: string, ...targets: string[]): Endpoint => ({ dnsName, recordType: "A", recordTTL: 60, targets });
const cname = (dnsName: string, target: string, setIdentifier?: string): Endpoint => ({
  dnsName,
  recordType: "CNAME",
  recordTTL: 60,
  targets: [target],
  ...(setIdentifier !== undefined && { setIdentifier }),
});

describe("what the own records no longer have", () => {
  it("is left out, and the rest stays as it was decided", () => {
    const decided = [a("x.test", "192.0.2.1", "192.0.2.2")];
    expect(leaveOut(decided, [a("x.test", "192.0.2.2", "192.0.2.3")])).toEqual([a("x.test", "192.0.2.2")]);
    expect(decided).toEqual([a("x.test", "192.0.2.1", "192.0.2.2")]);
  });

  it("takes with it what led there, and nothing else", () => {
    const decided = [
      cname("x.test", "lb.x.test"),
      cname("y.test", "lb2.x.test"),
      a("lb.x.test", "192.0.2.1"),
      a("lb2.x.test", "192.0.2.2"),
    ];
    const own = decided.filter(({ dnsName }) => dnsName !== "lb.x.test");
    expect(leaveOut(decided, own)).toEqual([cname("y.test", "lb2.x.test"), a("lb2.x.test", "192.0.2.2")]);
  });

  it("is a name as well as a target", () => {
    const decided = [a("a.x.test", "192.0.2.1"), a("b.x.test", "192.0.2.1")];
    expect(leaveOut(decided, [a("a.x.test", "192.0.2.1")])).toEqual([a("a.x.test", "192.0.2.1")]);
  });

  it("is not what a default set borrowed from another set of its name", () => {
    const own = [
      cname("x.test", "us.x.test", "default"),
      cname("x.test", "eu.x.test", "eu"),
      a("us.x.test", "192.0.2.1"),
      a("eu.x.test", "192.0.2.2"),
    ];
    const decided = [
      cname("x.test", "eu.x.test", "default"),
      cname("x.test", "eu.x.test", "eu"),
      a("eu.x.test", "192.0.2.2"),
    ];
    expect(leaveOut(decided, own)).toEqual(decided);
  });

  it("is not what another cluster has", () => {
    const record = delivered("x.test", ["192.0.2.1", "192.0.2.2", "198.51.100.1", "198.51.100.2"], {
      shares: [
        { cluster: "here", record: "shop/x", conditions: [] },
        { cluster: "there", record: "shop/x", conditions: [] },
      ],
      probed: { here: ["192.0.2.1", "192.0.2.2"], there: ["192.0.2.2", "198.51.100.1"] },
    });
    // 192.0.2.2 is both clusters'; nobody probes 198.51.100.2, so it may be theirs.
    const left = leaveOut(record.endpoints, [a("x.test", "192.0.2.9")], foreignLeaves(record, "here"));
    expect(left).toEqual([a("x.test", "192.0.2.2", "198.51.100.1", "198.51.100.2")]);
  });

  it("leaves another cluster's names, and the ways to them", () => {
    const both = delivered("x.test", [], {
      shares: ["here", "there"].map((cluster) => ({ cluster, record: "shop/x", conditions: [] })),
      probed: { here: ["192.0.2.1"], there: ["198.51.100.1"] },
    });
    const decided = [cname("x.test", "lb.x.test"), a("lb.x.test", "192.0.2.1", "198.51.100.1")];
    expect(leaveOut(decided, [a("other.x.test", "192.0.2.9")], foreignLeaves(both, "here"))).toEqual([
      cname("x.test", "lb.x.test"),
      a("lb.x.test", "198.51.100.1"),
    ]);
  });
});
