import dnsPacket, { type Answer } from "dns-packet";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, query, type Reply } from "../../../test/support/agent/dns-client.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { respond, type Zones } from "./respond.ts";
import { buildZones } from "./zone.ts";

const many = Array.from({ length: 100 }, (_, index) => `192.0.2.${index}`);
const zones: Zones = buildZones(
  [
    {
      rootHost: "api.example.com",
      endpoints: [
        { dnsName: "api.example.com", recordType: "A", recordTTL: 60, targets: ["192.0.2.1", "192.0.2.2"] },
        { dnsName: "many.api.example.com", recordType: "A", recordTTL: 60, targets: many },
        { dnsName: "*.w.api.example.com", recordType: "A", recordTTL: 60, targets: ["192.0.2.3"] },
      ],
    },
    { rootHost: "new.example.com", endpoints: undefined },
    { rootHost: "empty.example.com", endpoints: [] },
  ],
  7,
  { nameServers: [], negativeTtlSeconds: 45 },
);

const answerTo = (bytes: Buffer, transport: "udp" | "tcp" = "udp") => respond(bytes, transport, zones, () => 0);
const reply = (bytes: Buffer, transport: "udp" | "tcp" = "udp"): Reply => decode(answerTo(bytes, transport)!);
const soa = (answers: readonly Answer[] = []) => answers.find((answer) => answer.type === "SOA");
const OPT: Answer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: 4096,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

describe("the server answers", () => {
  it("with authority, and repeats id, question and RD", () => {
    const answer = reply(query("api.example.com"));
    expect(answer).toMatchObject({
      id: 4242,
      type: "response",
      flag_aa: true,
      flag_rd: true,
      flag_ra: false,
      rcode: "NOERROR",
    });
    expect(answer.questions).toEqual([{ name: "api.example.com", type: "A", class: "IN" }]);
    expect(answer.answers?.map((one) => (one as { data: string }).data)).toEqual(["192.0.2.1", "192.0.2.2"]);
  });

  it("in the case that was asked (0x20)", () => {
    const asked = query("aPi.ExAmPlE.cOm");
    const answer = answerTo(asked)!;
    expect(answer.subarray(12, asked.length)).toEqual(asked.subarray(12));
    expect(decode(answer).answers?.[0]?.name).toBe("aPi.ExAmPlE.cOm");
  });

  it.each([
    ["api.example.com", "AAAA", "NOERROR"],
    ["api.example.com", "TXT", "NOERROR"],
    ["api.example.com", "UNKNOWN_65534", "NOERROR"],
    ["x.api.example.com", "A", "NXDOMAIN"],
    ["empty.example.com", "A", "NOERROR"],
  ])("that %s %s is not there (%s), with the SOA and the negative TTL", (name, type, rcode) => {
    const answer = reply(query(name, type));
    expect(answer).toMatchObject({ rcode, flag_aa: true, answers: [] });
    expect(soa(answer.authorities)).toMatchObject({ ttl: 45, data: { serial: 7, minimum: 45 } });
  });

  it("its SOA and its name server", () => {
    expect(soa(reply(query("api.example.com", "SOA")).answers)).toMatchObject({
      name: "api.example.com",
      ttl: 3600,
      data: { mname: "ns.api.example.com", serial: 7 },
    });
    expect(reply(query("api.example.com", "NS")).answers).toMatchObject([{ type: "NS", data: "ns.api.example.com" }]);
  });

  it("ANY with next to nothing (RFC 8482), and denies names under it all the same", () => {
    expect(reply(query("api.example.com", "ANY")).answers).toMatchObject([{ type: "HINFO", data: { cpu: "RFC8482" } }]);
    expect(reply(query("x.api.example.com", "ANY")).rcode).toBe("NXDOMAIN");
  });

  it("SERVFAIL while nobody has decided what a host has, so that resolvers ask elsewhere and keep nothing", () => {
    expect(reply(query("new.example.com"))).toMatchObject({ rcode: "SERVFAIL", answers: [], authorities: [] });
  });

  it.each([
    ["another zone", query("example.com")],
    ["the zone above", query("com")],
    ["the root", query(".", "NS")],
    ["a name that only ends alike", query("xapi.example.com")],
    ["AXFR", query("api.example.com", "AXFR")],
    ["IXFR", query("api.example.com", "IXFR")],
    ["class CH", query("version.bind", "TXT", { questions: [{ name: "api.example.com", type: "TXT", class: "CH" }] })],
  ])("REFUSED to %s", (_, bytes) => {
    expect(reply(bytes, "tcp")).toMatchObject({ rcode: "REFUSED", flag_aa: false, answers: [], authorities: [] });
  });
});

describe("EDNS", () => {
  it("is answered where it was offered, and only there", () => {
    expect(reply(query("api.example.com")).additionals).toEqual([]);
    expect(reply(query("api.example.com", "A", { additionals: [OPT] })).additionals).toMatchObject([
      { type: "OPT", udpPayloadSize: 1232 },
    ]);
    expect(reply(query("other.test", "A", { additionals: [OPT] })).additionals).toHaveLength(1);
  });

  it("of another version is BADVERS", () => {
    const answer = reply(query("api.example.com", "A", { additionals: [{ ...OPT, ednsVersion: 1 } as Answer] }));
    expect(answer.additionals).toMatchObject([{ type: "OPT", extendedRcode: 1, ednsVersion: 0 }]);
    expect(answer.answers).toEqual([]);
  });

  it("given twice is FORMERR", () => {
    expect(reply(query("api.example.com", "A", { additionals: [OPT, OPT] })).rcode).toBe("FORMERR");
  });
});

describe("what does not fit", () => {
  it.each([
    ["512 octets", {}, 512],
    ["what the client can take", { additionals: [{ ...OPT, udpPayloadSize: 800 } as Answer] }, 800],
    ["1232 octets, whatever the client can take", { additionals: [OPT] }, 1232],
    ["512 octets, whatever little the client says", { additionals: [{ ...OPT, udpPayloadSize: 0 } as Answer] }, 512],
  ])("is cut off at %s with TC over UDP", (_, more, limit) => {
    const bytes = answerTo(query("many.api.example.com", "A", more))!;
    expect(bytes.length).toBeLessThanOrEqual(limit);
    expect(decode(bytes)).toMatchObject({ flag_tc: true, rcode: "NOERROR", answers: [] });
  });

  it("is whole over TCP", () => {
    const answer = reply(query("many.api.example.com"), "tcp");
    expect(answer.flag_tc).toBe(false);
    expect(answer.answers).toHaveLength(100);
  });
});

describe("what is no query", () => {
  const good = query("api.example.com");
  const changed = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(good);
    change(bytes);
    return bytes;
  };

  it("gets no answer when it is a response: two servers would answer each other for ever", () => {
    expect(answerTo(changed((bytes) => bytes.writeUInt16BE(0x8000, 2)))).toBeUndefined();
  });

  it("gets no answer when it is too short to have an id and flags", () => {
    for (let length = 0; length < 12; length += 1) expect(answerTo(good.subarray(0, length))).toBeUndefined();
  });

  it("gets NOTIMP for another opcode", () => {
    expect(reply(changed((bytes) => bytes.writeUInt16BE(5 << 11, 2)))).toMatchObject({
      id: 4242,
      rcode: "NOTIMP",
      opcode: "UPDATE",
    });
  });

  it.each([
    ["no question", changed((bytes) => bytes.writeUInt16BE(0, 4)).subarray(0, 12)],
    ["two questions", changed((bytes) => bytes.writeUInt16BE(2, 4))],
    ["counts that promise more than there is", changed((bytes) => bytes.writeUInt16BE(65_535, 10))],
    ["an answer in it", changed((bytes) => bytes.writeUInt16BE(1, 6))],
    ["a cut off name", good.subarray(0, 20)],
    ["a cut off question", good.subarray(0, good.length - 1)],
    ["a pointer for a name", changed((bytes) => bytes.writeUInt16BE(0xc00c, 12))],
    ["a dot inside a label", changed((bytes) => bytes.write(".", 14))],
    ["a label of no text", changed((bytes) => bytes.writeUInt8(0xff, 14))],
  ])("gets FORMERR for %s", (_, bytes) => {
    expect(reply(Buffer.from(bytes))).toMatchObject({ id: 4242, rcode: "FORMERR" });
  });

  it("never throws, and never answers with more than a query of that id may get", () => {
    const mutated = fc
      .tuple(fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 12 }), fc.nat(good.length))
      .map(([changes, length]) => {
        const bytes = Buffer.from(good);
        for (const [at, value] of changes) bytes[at] = value;
        return bytes.subarray(0, length);
      });
    const garbage = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.oneof(mutated, garbage), (bytes) => {
        const answer = answerTo(bytes);
        if (answer === undefined) return;
        expect(answer.length).toBeLessThanOrEqual(1232);
        expect(answer.readUInt16BE(0)).toBe(bytes.readUInt16BE(0));
        expect(answer.readUInt16BE(2) & 0x8000).toBe(0x8000);
        expect(() => dnsPacket.decode(answer)).not.toThrow();
      }),
      { numRuns: propertyRuns(20_000) },
    );
  });
});
