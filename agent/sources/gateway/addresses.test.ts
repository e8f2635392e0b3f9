import { describe, expect, it } from "vitest";
import { effectiveTargets, readAddresses } from "./addresses.ts";

const NONE = { ips: [], hosts: [], unsupported: [], unreadable: [] };
const ip = (value: unknown) => ({ type: "IPAddress", value });
const host = (value: unknown) => ({ type: "Hostname", value });
const read = (...addresses: unknown[]) => readAddresses({ addresses });

describe("the addresses of a Gateway", () => {
  it.each([
    ["a status that is missing", undefined, NONE],
    ["one without the list", { conditions: [] }, NONE],
    ["an empty list", { addresses: [] }, NONE],
    ["no list", { addresses: null }, { ...NONE, unreadable: ["status.addresses is no list"] }],
    ["no status at all", "Ready", { ...NONE, unreadable: ["status.addresses is no list"] }],
  ])("%s", (_, status, expected) => {
    expect(readAddresses(status)).toEqual(expected);
  });

  it.each<[string, unknown, Partial<typeof NONE> | Record<string, string[]>]>([
    ["IPv4", ip("192.0.2.1"), { ips: ["192.0.2.1"] }],
    ["IPv6 in one spelling", ip("2001:DB8:0::01"), { ips: ["2001:db8::1"] }],
    ["IPv4 written as IPv6", ip("::ffff:192.0.2.1"), { ips: ["192.0.2.1"] }],
    ["without a type, which is an IP address", { value: "192.0.2.1" }, { ips: ["192.0.2.1"] }],
    ["a host name in one spelling", host("LB.Example.COM."), { hosts: ["lb.example.com"] }],
    ["an IP address that calls itself a host name", host("192.0.2.1"), { ips: ["192.0.2.1"] }],
    ["a host name that calls itself an IP address", ip("lb.example.com"), { hosts: ["lb.example.com"] }],
    [
      "a name that DNS does not know",
      { type: "NamedAddress", value: "my-ip" },
      { unsupported: ['NamedAddress "my-ip"'] },
    ],
    ["an implementation's own", { type: "x.test/vip", value: "1" }, { unsupported: ['x.test/vip "1"'] }],
    ["none given yet", ip("0.0.0.0"), { unsupported: ["IPAddress 0.0.0.0"] }],
    ["none given yet, IPv6", ip("0:0:0:0:0:0:0:0"), { unsupported: ["IPAddress ::"] }],
    ["an address that is none", ip("192.0.2.256"), { unreadable: ['IPAddress "192.0.2.256"'] }],
    ["a shorthand that resolvers read differently", ip("10.1"), { unreadable: ['IPAddress "10.1"'] }],
    ["a wildcard", host("*.lb.example.com"), { unreadable: ['Hostname "*.lb.example.com"'] }],
    ["no value", { type: "IPAddress" }, { unreadable: ['{"type":"IPAddress"}'] }],
    ["a number", ip(7), { unreadable: ['{"type":"IPAddress","value":7}'] }],
    ["text", "192.0.2.1", { unreadable: ['"192.0.2.1"'] }],
    ["null", null, { unreadable: ["null"] }],
  ])("%s", (_, entry, expected) => {
    expect(read(entry)).toEqual({ ...NONE, ...expected });
  });

  it("stand sorted and once, however often and in whatever spelling they are given", () => {
    const given = [
      ip("192.0.2.2"),
      host("b.test"),
      ip("::ffff:192.0.2.2"),
      ip("192.0.2.1"),
      host("B.test."),
      host("a.test"),
    ];
    expect(read(...given)).toEqual({ ...NONE, ips: ["192.0.2.1", "192.0.2.2"], hosts: ["a.test", "b.test"] });
  });

  it("that cannot be read are shown, and cut", () => {
    expect(read({ value: 7, note: "x".repeat(500) }).unreadable[0]).toHaveLength(81);
  });
});

describe("what a record is to hold", () => {
  const last = ["192.0.2.9", "old.test"];

  it.each([
    ["the addresses of the Gateway", [ip("192.0.2.1"), host("lb.test")], { ips: ["192.0.2.1"], hosts: ["lb.test"] }],
    ["the last ones, where it has none", [], { ips: ["192.0.2.9"], hosts: ["old.test"] }],
    ["the last ones, where none is for DNS", [ip("0.0.0.0")], { ips: ["192.0.2.9"], hosts: ["old.test"] }],
    [
      "both, where one cannot be read",
      [ip("192.0.2.1"), null],
      { ips: ["192.0.2.1", "192.0.2.9"], hosts: ["old.test"] },
    ],
    ["no longer the last ones, once all can be", [ip("192.0.2.1")], { ips: ["192.0.2.1"], hosts: [] }],
  ])("%s", (_, addresses, expected) => {
    expect(effectiveTargets(read(...addresses), last)).toEqual(expected);
  });

  it("nothing that is no target, whatever somebody wrote into the record", () => {
    expect(effectiveTargets(read(), ["", "*.x.test", "not a name", "192.0.2.1", "192.0.2.1"])).toEqual({
      ips: ["192.0.2.1"],
      hosts: [],
    });
  });
});
