import { createSocket, type Socket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import dnsPacket, { type Answer } from "dns-packet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oldRegistryName, Registry, type RegistryOptions, readRegistryTexts, registryName } from "./registry.ts";

interface Named {
  TXT?: string[][];
  CNAME?: string;
}
type Records = Record<string, Named | "silent" | "refused" | "broken">;

const NXDOMAIN = 3;
const RCODES = { broken: 2, refused: 5 };

let zone: Records = {};
let server: Socket;
let address: string;

beforeAll(async () => {
  server = createSocket("udp4");
  server.on("message", (message, from) => {
    const reply = answerTo(message);
    if (reply) server.send(reply, from.port, from.address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await once(server, "close");
});

const found = (name: string) => zone[name] ?? zone[`*.${name.slice(name.indexOf(".") + 1)}`];

/** What a recursive server answers: a CNAME is followed, wildcards are expanded. */
function answerTo(message: Buffer): Buffer | undefined {
  const { id = 0, questions = [] } = dnsPacket.decode(message);
  const { name = "", type } = questions[0] ?? {};
  const there = found(name.toLowerCase());
  if (there === "silent") return undefined;
  const code = typeof there === "string" ? RCODES[there] : there === undefined ? NXDOMAIN : 0;
  const answers = typeof there === "object" ? answersOf(name, type ?? "TXT", there) : [];
  return dnsPacket.encode({ type: "response", id, flags: code, questions, answers });
}

function answersOf(name: string, type: string, { TXT = [], CNAME }: Named): Answer[] {
  const texts = type === "TXT" ? TXT.map((data): Answer => ({ name, type: "TXT", ttl: 1, data })) : [];
  if (CNAME === undefined) return texts;
  const next = found(CNAME);
  const further = type !== "CNAME" && typeof next === "object" ? answersOf(CNAME, type, next) : [];
  return [{ name, type: "CNAME", ttl: 1, data: CNAME }, ...texts, ...further];
}

function registry(options: Partial<RegistryOptions> = {}) {
  const resolver = new Resolver({ timeout: 100, tries: 1 });
  resolver.setServers([address]);
  return new Registry({
    resolver,
    ownerId: "ours",
    prefix: "",
    suffix: "",
    wildcardReplacement: "",
    concurrency: 4,
    ...options,
  });
}

const owned = (by: string) => [[`heritage=external-dns,external-dns/owner=${by},external-dns/resource=crd/shop/shop`]];
const host = (rootHost: string, recordType: "A" | "AAAA" | "CNAME" = "A") => ({
  rootHost,
  endpoints: [{ dnsName: rootHost, recordType }],
});

describe("who owns a host", () => {
  const foreign = (name: string) => ({ owner: "theirs", name });
  const cases: [
    string,
    Records,
    ReturnType<typeof foreign> | undefined,
    Partial<RegistryOptions>?,
    ("A" | "AAAA" | "CNAME")?,
  ][] = [
    ["nobody, where there is no record", {}, undefined],
    ["we", { "a-x.test": { TXT: owned("ours") } }, undefined],
    ["another, by its new record", { "a-x.test": { TXT: owned("theirs") } }, foreign("a-x.test")],
    [
      "another, whose record set of another type is in the way",
      { "cname-x.test": { TXT: owned("theirs") } },
      foreign("cname-x.test"),
    ],
    ["nobody, where the other's type goes beside ours", { "aaaa-x.test": { TXT: owned("theirs") } }, undefined],
    ["another, by its old record", { "x.test": { TXT: owned("theirs") } }, foreign("x.test")],
    [
      "we, by the new record, whatever the old one says",
      { "a-x.test": { TXT: owned("ours") }, "x.test": { TXT: owned("ours") } },
      undefined,
    ],
    [
      "nobody, where texts speak of other things",
      { "x.test": { TXT: [["v=spf1 -all"], ["heritage=other,external-dns/owner=theirs"]] } },
      undefined,
    ],
    [
      "another, among several texts, one in two strings",
      { "x.test": { TXT: [["v=spf1 -all"], ["heritage=external-dns,external-d", "ns/owner=theirs"]] } },
      foreign("x.test"),
    ],
    [
      "another, whose text kept its quotes",
      { "a-x.test": { TXT: [['"heritage=external-dns,external-dns/owner=theirs"']] } },
      foreign("a-x.test"),
    ],
    [
      "we, where sets of several owners share a name",
      { "a-x.test": { TXT: [...owned("theirs"), ...owned("ours")] } },
      undefined,
    ],
    [
      "another, with a prefix",
      { "txt.a-x.test": { TXT: owned("theirs") } },
      foreign("txt.a-x.test"),
      { prefix: "txt." },
    ],
    [
      "another, with the type in the prefix",
      { "_a.x.test": { TXT: owned("theirs") } },
      foreign("_a.x.test"),
      { prefix: "_%{record_type}." },
    ],
    [
      "another, with a suffix",
      { "a-x-txt.test": { TXT: owned("theirs") } },
      foreign("a-x-txt.test"),
      { suffix: "-txt" },
    ],
    [
      "nobody, by a CNAME that leads to another's texts",
      { "x.test": { CNAME: "y.test" }, "y.test": { TXT: owned("theirs") } },
      undefined,
      {},
      "CNAME",
    ],
    ["nobody, where a wildcard's record answers", { "*.test": { TXT: owned("theirs") } }, undefined],
  ];
  test.each(cases)("%s", async (_, records, conflict, options = {}, type = "A") => {
    zone = records;
    const asker = registry(options);
    await asker.look([host("x.test", type)]);
    expect(asker.conflictOf("x.test")).toEqual(conflict);
  });

  test("of a wildcard is said beside the names under it", async () => {
    zone = { "a-*.x.test": { TXT: owned("theirs") }, "a-any.y.test": { TXT: owned("theirs") } };
    const plain = registry();
    await plain.look([host("*.x.test"), host("*.y.test"), host("x.test")]);
    expect(plain.conflictOf("*.x.test")).toEqual({ owner: "theirs", name: "a-*.x.test" });
    expect(plain.conflictOf("*.y.test")).toBeUndefined();
    expect(plain.conflictOf("x.test")).toBeUndefined();
    const replaced = registry({ wildcardReplacement: "any" });
    await replaced.look([host("*.y.test")]);
    expect(replaced.conflictOf("*.y.test")).toEqual({ owner: "theirs", name: "a-any.y.test" });
  });

  test("is looked up for every name of the host", async () => {
    zone = { "cname-b.x.test": { TXT: owned("theirs") } };
    const asker = registry();
    const endpoints = [
      { dnsName: "x.test", recordType: "A" as const },
      { dnsName: "b.x.test", recordType: "CNAME" as const },
    ];
    await asker.look([{ rootHost: "x.test", endpoints }]);
    expect(asker.conflictOf("x.test")?.name).toBe("cname-b.x.test");
  });
});

describe("what cannot be found out changes nothing", () => {
  test.each(["silent", "refused", "broken"] as const)("a server that is %s", async (trouble) => {
    const asker = registry();
    zone = { "a-x.test": trouble, "a-y.test": { TXT: owned("theirs") } };
    await asker.look([host("x.test"), host("y.test")]);
    expect(asker.conflictOf("x.test")).toBeUndefined();
    expect(asker.conflictOf("y.test")).toBeDefined();
    zone = { "a-x.test": { TXT: owned("theirs") }, "a-y.test": trouble };
    await asker.look([host("x.test"), host("y.test")]);
    expect(asker.conflictOf("x.test")).toBeDefined();
    expect(asker.conflictOf("y.test")).toBeDefined();
    zone = {};
    await asker.look([host("x.test"), host("y.test")]);
    expect([asker.conflictOf("x.test"), asker.conflictOf("y.test")]).toEqual([undefined, undefined]);
  });

  test("an encrypted record", async () => {
    zone = { "a-x.test": { TXT: owned("theirs") } };
    const asker = registry();
    await asker.look([host("x.test")]);
    zone = { "a-x.test": { TXT: [["bXkgbm9uY2UgaXMgaGVyZSBhbmQgdGhlIHRhZyBpcyB0b28hIQ=="]] } };
    await asker.look([host("x.test")]);
    expect(asker.conflictOf("x.test")).toBeDefined();
  });

  test("but a host that nobody wants to publish any more is forgotten", async () => {
    zone = { "a-x.test": { TXT: owned("theirs") } };
    const asker = registry();
    await asker.look([host("x.test")]);
    asker.keep([host("y.test")]);
    expect(asker.conflictOf("x.test")).toBeUndefined();
  });
});

/* As external-dns 0.23 names them (its registry/mapper). */
test.each([
  ["x.example.com", "A", {}, "a-x.example.com", "x.example.com"],
  ["X.example.com", "AAAA", {}, "aaaa-x.example.com", "x.example.com"],
  ["*.example.com", "CNAME", {}, "cname-*.example.com", "*.example.com"],
  ["*.example.com", "A", { wildcardReplacement: "star" }, "a-star.example.com", "star.example.com"],
  ["x.example.com", "A", { prefix: "Txt-" }, "txt-a-x.example.com", "txt-x.example.com"],
  ["x.example.com", "A", { suffix: "-txt" }, "a-x-txt.example.com", "x-txt.example.com"],
  ["x.example.com", "A", { prefix: "p-%{record_type}-" }, "p-a-x.example.com", "p--x.example.com"],
  ["x.example.com", "CNAME", { suffix: "-%{record_type}" }, "x-cname.example.com", "x-.example.com"],
  ["com", "A", {}, "a-com", "com"],
] as const)("%s %s with %j is registered at %s", (dnsName, type, some, name, oldName) => {
  const affixes = { prefix: "", suffix: "", wildcardReplacement: "", ...some };
  expect(registryName(dnsName, type, affixes)).toBe(name);
  expect(oldRegistryName(dnsName, affixes)).toBe(oldName);
});

test.each([
  [["heritage=external-dns,external-dns/owner=a"], { type: "Owners", owners: ["a"] }],
  [["external-dns/owner=a"], { type: "Nothing" }],
  [["heritage=external-dns"], { type: "Nothing" }],
  [["heritage=external-dns,external-dns/owner=a=b"], { type: "Nothing" }],
  [[""], { type: "Nothing" }],
  [[], { type: "Nothing" }],
])("%j says %j", (texts, said) => {
  expect(readRegistryTexts(texts)).toEqual(said);
});
