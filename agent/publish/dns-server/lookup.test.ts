import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../../shared/model/endpoint.ts";
import { lookup } from "./lookup.ts";
import { buildZones, type Zone } from "./zone.ts";

const settings = { nameServers: [], defaultAddress: "192.0.2.53", negativeTtlSeconds: 60 };

function set(
  dnsName: string,
  recordType: Endpoint["recordType"],
  targets: string[],
  more: Partial<Endpoint> = {},
): Endpoint {
  return { dnsName, recordType, recordTTL: 60, targets, ...more };
}

function zoneOf(rootHost: string, endpoints: Endpoint[]): Zone {
  const [zone] = buildZones([{ rootHost, endpoints }], 1, settings).values();
  return zone!;
}

const zone = zoneOf("example.com", [
  set("example.com", "A", ["192.0.2.1"]),
  set("api.example.com", "CNAME", ["lb.example.com"]),
  set("lb.example.com", "A", ["192.0.2.2", "192.0.2.3"], { recordTTL: 30 }),
  set("out.example.com", "CNAME", ["lb.cloud.test"]),
  set("dangling.example.com", "CNAME", ["gone.example.com"]),
  set("a.b.c.example.com", "AAAA", ["2001:db8::1"]),
  set("*.wild.example.com", "A", ["192.0.2.9"]),
  set("own.wild.example.com", "A", ["192.0.2.10"]),
  set("*.alias.example.com", "CNAME", ["lb.example.com"]),
]);

describe("a lookup", () => {
  it.each([
    ["example.com", "A", "Answer", ["example.com A 192.0.2.1"]],
    ["example.com", "AAAA", "NoData", []],
    ["EXAMPLE.com", "A", "Answer", ["EXAMPLE.com A 192.0.2.1"]],
    [
      "api.example.com",
      "A",
      "Answer",
      ["api.example.com CNAME lb.example.com", "lb.example.com A 192.0.2.2", "lb.example.com A 192.0.2.3"],
    ],
    ["api.example.com", "AAAA", "NoData", ["api.example.com CNAME lb.example.com"]],
    ["api.example.com", "CNAME", "Answer", ["api.example.com CNAME lb.example.com"]],
    ["api.example.com", "MX", "NoData", ["api.example.com CNAME lb.example.com"]],
    ["out.example.com", "A", "LeftZone", ["out.example.com CNAME lb.cloud.test"]],
    ["dangling.example.com", "A", "NoName", ["dangling.example.com CNAME gone.example.com"]],
    ["nothing.example.com", "A", "NoName", []],
    ["b.c.example.com", "A", "NoData", []],
    ["c.example.com", "A", "NoData", []],
    ["x.c.example.com", "A", "NoName", []],
    ["ns.example.com", "A", "Answer", ["ns.example.com A 192.0.2.53"]],
    // RFC 4592: a wildcard answers what nothing else does, at any depth, and not for the name above it.
    ["x.wild.example.com", "A", "Answer", ["x.wild.example.com A 192.0.2.9"]],
    ["x.y.wild.example.com", "A", "Answer", ["x.y.wild.example.com A 192.0.2.9"]],
    ["*.wild.example.com", "A", "Answer", ["*.wild.example.com A 192.0.2.9"]],
    ["x.wild.example.com", "AAAA", "NoData", []],
    ["wild.example.com", "A", "NoData", []],
    ["own.wild.example.com", "A", "Answer", ["own.wild.example.com A 192.0.2.10"]],
    ["own.wild.example.com", "AAAA", "NoData", []],
    ["x.own.wild.example.com", "A", "NoName", []],
    [
      "x.alias.example.com",
      "A",
      "Answer",
      ["x.alias.example.com CNAME lb.example.com", "lb.example.com A 192.0.2.2", "lb.example.com A 192.0.2.3"],
    ],
  ])("of %s %s ends in %s", (name, type, end, records) => {
    const result = lookup(zone, name, type, () => 0);
    expect(result.end).toBe(end);
    expect(result.found.map((record) => `${record.name} ${record.type} ${record.data}`)).toEqual(records);
  });

  it("keeps the TTL of each set", () => {
    expect(lookup(zone, "api.example.com", "A", () => 0).found.map(({ ttl }) => ttl)).toEqual([60, 30, 30]);
  });

  it("ends where a circle closes", () => {
    const circle = zoneOf("example.com", [
      set("a.example.com", "CNAME", ["b.example.com"]),
      set("b.example.com", "CNAME", ["a.example.com"]),
    ]);
    expect(lookup(circle, "a.example.com", "A", () => 0).found).toHaveLength(2);
  });
});

describe("the apex, which holds SOA and NS and so no CNAME", () => {
  const chain = [
    set("api.example.com", "CNAME", ["geo.api.example.com"], { recordTTL: 300 }),
    set("geo.api.example.com", "CNAME", ["eu.api.example.com"], { recordTTL: 20 }),
    set("eu.api.example.com", "A", ["192.0.2.1", "192.0.2.2"]),
  ];

  it("is answered by the addresses at the end of its chain, as long as its shortest TTL", () => {
    const { found, end } = lookup(zoneOf("api.example.com", chain), "api.example.com", "A", () => 0);
    expect(end).toBe("Answer");
    expect(found).toEqual([
      { name: "api.example.com", type: "A", ttl: 20, data: "192.0.2.1" },
      { name: "api.example.com", type: "A", ttl: 20, data: "192.0.2.2" },
    ]);
  });

  it("has no data for other types", () => {
    expect(lookup(zoneOf("api.example.com", chain), "api.example.com", "AAAA", () => 0)).toEqual({
      found: [],
      end: "NoData",
    });
    expect(lookup(zoneOf("api.example.com", chain), "api.example.com", "MX", () => 0)).toEqual({
      found: [],
      end: "NoData",
    });
  });

  it("shows a chain that leaves the zone as it is", () => {
    const outside = zoneOf("api.example.com", [set("api.example.com", "CNAME", ["lb.cloud.test"])]);
    expect(lookup(outside, "api.example.com", "A", () => 0)).toEqual({
      found: [{ name: "api.example.com", type: "CNAME", ttl: 60, data: "lb.cloud.test" }],
      end: "LeftZone",
    });
  });
});

describe("zones", () => {
  it("hold a host and the wildcard under it together", () => {
    const zones = buildZones(
      [
        { rootHost: "example.com", endpoints: [set("example.com", "A", ["192.0.2.1"])] },
        { rootHost: "*.example.com", endpoints: [set("*.example.com", "A", ["192.0.2.2"])] },
      ],
      1,
      settings,
    );
    expect([...zones.keys()]).toEqual(["example.com"]);
    const both = zones.get("example.com")!;
    expect(lookup(both, "example.com", "A", () => 0).found.map(({ data }) => data)).toEqual(["192.0.2.1"]);
    expect(lookup(both, "x.example.com", "A", () => 0).found.map(({ data }) => data)).toEqual(["192.0.2.2"]);
  });

  it("do not deny what nobody has decided yet", () => {
    const zones = buildZones(
      [
        { rootHost: "example.com", endpoints: [set("example.com", "A", ["192.0.2.1"])] },
        { rootHost: "*.example.com", endpoints: undefined },
      ],
      1,
      settings,
    );
    const half = zones.get("example.com")!;
    expect(lookup(half, "example.com", "A", () => 0).end).toBe("Answer");
    expect(lookup(half, "x.example.com", "A", () => 0).end).toBe("Undecided");
  });

  it("take given name servers, and no address over a record's own", () => {
    const nameServers = [
      { name: "ns1.example.com", address: "192.0.2.7" },
      { name: "ns.elsewhere.test", address: "192.0.2.8" },
    ];
    const own = [set("ns1.example.com", "A", ["192.0.2.1"])];
    const [first] = buildZones([{ rootHost: "example.com", endpoints: own }], 1, { ...settings, nameServers }).values();
    expect(first?.nameServers).toEqual(["ns1.example.com", "ns.elsewhere.test"]);
    expect(lookup(first!, "ns1.example.com", "A", () => 0).found.map(({ data }) => data)).toEqual(["192.0.2.1"]);
  });
});

describe("sets that share a name", () => {
  const weight = (value: number, address: string) =>
    set("example.com", "A", [address], {
      setIdentifier: address,
      providerSpecific: [{ name: "weight", value: `${value}` }],
    });
  const geo = (code: string, address: string) =>
    set("example.com", "A", [address], { setIdentifier: code, providerSpecific: [{ name: "geo-code", value: code }] });
  const answer = (sets: Endpoint[], random: number) =>
    lookup(zoneOf("example.com", sets), "example.com", "A", () => random).found.map(({ data }) => data);

  it("are drawn by weight", () => {
    const sets = [weight(1, "192.0.2.1"), weight(3, "192.0.2.2"), weight(0, "192.0.2.3")];
    expect([0, 0.24, 0.25, 0.99].map((random) => answer(sets, random))).toEqual([
      ["192.0.2.1"],
      ["192.0.2.1"],
      ["192.0.2.2"],
      ["192.0.2.2"],
    ]);
  });

  it("never draw weight 0 beside others, and draw it when no other is left", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
        expect(answer([weight(0, "192.0.2.1"), weight(5, "192.0.2.2"), weight(0, "192.0.2.3")], random)).toEqual([
          "192.0.2.2",
        ]);
        expect(answer([weight(0, "192.0.2.1"), weight(0, "192.0.2.2")], random)).toHaveLength(1);
      }),
    );
  });

  it("answer with the default geography, else with the first", () => {
    expect(answer([geo("EU", "192.0.2.1"), geo("*", "192.0.2.2")], 0)).toEqual(["192.0.2.2"]);
    expect(answer([geo("US", "192.0.2.1"), geo("EU", "192.0.2.2")], 0)).toEqual(["192.0.2.2"]);
  });

  it("answer together where only an identifier tells them apart", () => {
    const sets = ["a", "b"].map((setIdentifier, index) =>
      set("example.com", "A", [`192.0.2.${index}`], { setIdentifier }),
    );
    expect(answer(sets, 0)).toEqual(["192.0.2.0", "192.0.2.1"]);
  });
});
