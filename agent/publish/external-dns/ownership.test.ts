import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import dnsPacket from "dns-packet";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Settings } from "../../runtime/settings-schema.ts";
import { Ownership } from "./ownership.ts";

const NXDOMAIN = 3;
const HOST = "x.test";
const NOT_DECIDED = { rootHost: HOST, endpoints: [] };
const DECIDED = { rootHost: HOST, endpoints: [{ dnsName: HOST, recordType: "A" as const }] };
const THEIRS = "heritage=external-dns,external-dns/owner=them";

let server: Socket;
let texts: Record<string, string>;
let asked: string[];
let isSilent: boolean;
let owners: Ownership;

beforeEach(async () => {
  [texts, asked, isSilent] = [{}, [], false];
  server = createSocket("udp4");
  server.on("message", (message, from) => {
    const answer = answerTo(message);
    if (!isSilent) server.send(answer, from.port, from.address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  owners = new Ownership({ externalDnsOwner: "us", externalDnsResolvers: [`127.0.0.1:${port}`] } as Settings);
});
afterEach(() => {
  vi.useRealTimers();
  owners.stop();
  server.close();
});

function answerTo(message: Buffer): Buffer {
  const { id = 0, questions = [] } = dnsPacket.decode(message);
  const { name = "" } = questions[0] ?? {};
  asked.push(name);
  const text = texts[name];
  const answers = text === undefined ? [] : [{ name, type: "TXT" as const, ttl: 1, data: [text] }];
  const flags = text === undefined ? NXDOMAIN : 0;
  return dnsPacket.encode({ type: "response", id, flags, questions, answers });
}

describe("the owner of a host", () => {
  test("is asked for once there is something to publish, though the host was known before", async () => {
    texts[`a-${HOST}`] = THEIRS;
    await owners.ask([NOT_DECIDED]);
    expect(owners.conflictOf(HOST)).toBeUndefined();
    await owners.ask([DECIDED]);
    expect(owners.conflictOf(HOST)).toContain("external-dns owner");
  });

  test("is asked for once, and again for a record set that is new, or a host that comes back", async () => {
    const questions = async (...hosts: (typeof DECIDED)[]) => {
      asked = [];
      await owners.ask(hosts);
      return asked.length;
    };
    expect(await questions(DECIDED)).toBeGreaterThan(0);
    expect(await questions(DECIDED)).toBe(0);
    const more = { ...DECIDED, endpoints: [...DECIDED.endpoints, { dnsName: `lb.${HOST}`, recordType: "A" as const }] };
    expect(await questions(more)).toBeGreaterThan(0);
    expect(await questions(DECIDED)).toBe(0);
    expect(await questions(more)).toBe(0);
    expect(await questions()).toBe(0);
    expect(await questions(DECIDED)).toBeGreaterThan(0);
  });

  test("is not waited for where the servers are silent: a decision goes before, and whoever ends does not wait at all", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    isSilent = true;
    const asking = owners.ask([DECIDED]);
    await vi.advanceTimersByTimeAsync(3_000);
    await asking;
    expect(owners.conflictOf(HOST)).toBeUndefined();
    const again = owners.askAgain([DECIDED]);
    owners.stop();
    expect(await again).toBe(false);
  });
});
