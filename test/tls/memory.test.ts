import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { concat, u8, u16, vector16 } from "../../workers/prober/tls/bytes.ts";
import { TlsClient } from "../../workers/prober/tls/client.ts";
import { trustScript } from "../support/tls-script.ts";
import { ScriptedServer13 } from "../support/tls-script13.ts";

const CLIENTS = 100;
/** A message of 128 KB in a queue that grows by doubling, a record, and what is little. */
const MOST_EACH = 320 * 1024;
const AFTERWARDS = 8 * 1024;

const record = (type: number, body: Uint8Array) => concat(u8(type), u16(0x0303), vector16(body));
const startOf = (type: number, length: number) => concat(u8(type), u8(length >> 16), u16(length & 0xffff));
const LONG = 128 * 1024;
const FULL = record(22, new Uint8Array(16_384));

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Octets in buffers. What was let go of is given back some time after a collection: the least of several counts. */
function held(): number {
  const counts = Array.from({ length: 5 }, () => {
    collect();
    return process.memoryUsage().arrayBuffers;
  });
  return Math.min(...counts);
}

/** What clients made so hold, each. */
function heldBy(make: () => TlsClient): { clients: TlsClient[]; each: number } {
  const before = held();
  const clients = Array.from({ length: CLIENTS }, make);
  return { clients, each: (held() - before) / CLIENTS };
}

const begin = () => new TlsClient({ serverName: "server", allowInsecureCertificate: false, verify: trustScript });

/** The longest message, but for its end. */
function hoardMessage(): TlsClient {
  const client = begin();
  client.start();
  client.receive(record(22, startOf(2, LONG)));
  for (let sent = 0; sent + 16_384 < LONG; sent += 16_384) client.receive(FULL);
  client.receive(FULL.subarray(0, -1));
  return client;
}

/** The same within the encrypted part of a handshake, an octet at a time at the end. */
function hoardEncrypted(): TlsClient {
  const client = begin();
  const server = new ScriptedServer13(client.start());
  client.receive(server.send("ServerHello"));
  client.receive(server.send({ record: 22, body: startOf(8, LONG) }));
  for (let sent = 0; sent + 16_384 < LONG; sent += 16_384) {
    client.receive(server.send({ record: 22, body: new Uint8Array(16_384) }));
  }
  const last = server.send({ record: 22, body: new Uint8Array(16_384) });
  for (let at = 0; at < last.length - 1; at += 97)
    client.receive(last.subarray(at, Math.min(at + 97, last.length - 1)));
  return client;
}

test.each([
  ["in the clear", hoardMessage],
  ["encrypted", hoardEncrypted],
])("what a server has a client hold is bounded: %s", (_title, hoard) => {
  hoard();
  const { clients, each } = heldBy(hoard);
  expect(clients.every(({ state }) => state === "handshaking")).toBe(true);
  expect(each).toBeGreaterThan(LONG / 2);
  expect(each).toBeLessThan(MOST_EACH);
});

test("a client that failed holds nothing of it", () => {
  const { clients, each } = heldBy(() => {
    const client = hoardMessage();
    client.receive(concat(u8(0), record(22, new Uint8Array(16_000))));
    return client;
  });
  expect(clients.every(({ state }) => state === "failed")).toBe(true);
  expect(each).toBeLessThan(AFTERWARDS);
});
