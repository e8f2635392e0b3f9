import { describe, expect, it } from "vitest";
import { endpointsFor } from "./record-spec.ts";

const base = { dnsName: "x.test", recordTTL: 60 };
const settings = { recordTTL: 60 };
const weighted = (target: string, value: string, setIdentifier = target) => ({
  ...base,
  recordType: "CNAME",
  targets: [target],
  setIdentifier,
  providerSpecific: [{ name: "aws/weight", value }],
});

describe("the record sets of a host", () => {
  it.each([
    ["none without a target", { ips: [], hosts: [] }, {}, []],
    [
      "IPv4",
      { ips: ["192.0.2.1", "192.0.2.2"], hosts: [] },
      {},
      [{ ...base, recordType: "A", targets: ["192.0.2.1", "192.0.2.2"] }],
    ],
    [
      "both families",
      { ips: ["192.0.2.1", "2001:db8::1"], hosts: [] },
      {},
      [
        { ...base, recordType: "A", targets: ["192.0.2.1"] },
        { ...base, recordType: "AAAA", targets: ["2001:db8::1"] },
      ],
    ],
    [
      "a weight says nothing of addresses",
      { ips: ["192.0.2.1"], hosts: [] },
      { weight: 7 },
      [{ ...base, recordType: "A", targets: ["192.0.2.1"] }],
    ],
    ["one host name", { ips: [], hosts: ["a.test"] }, {}, [{ ...base, recordType: "CNAME", targets: ["a.test"] }]],
    ["one host name with a weight", { ips: [], hosts: ["a.test"] }, { weight: 0 }, [weighted("a.test", "0")]],
    [
      "several weigh the same",
      { ips: [], hosts: ["a.test", "b.test"] },
      {},
      [weighted("a.test", "100"), weighted("b.test", "100")],
    ],
    [
      "several with a weight",
      { ips: [], hosts: ["a.test", "b.test"] },
      { weight: 255 },
      [weighted("a.test", "255"), weighted("b.test", "255")],
    ],
    [
      "addresses before host names",
      { ips: ["192.0.2.1"], hosts: ["a.test"] },
      {},
      [{ ...base, recordType: "A", targets: ["192.0.2.1"] }],
    ],
  ])("%s", (_, targets, more, expected) => {
    expect(endpointsFor("x.test", targets, { ...settings, ...more })).toEqual(expected);
  });

  it("told apart by a hash where a host name is too long to tell them apart", () => {
    const long = (last: string) => `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(20)}${last}.test`;
    const sets = endpointsFor("x.test", { ips: [], hosts: [long("1"), long("2")] }, settings);
    const [one, two] = sets.map(({ setIdentifier }) => setIdentifier);
    expect(one).toMatch(/^a{60}\.b{57,58}-[0-9a-f]{8}$/);
    expect(two).not.toBe(one);
  });
});
