import { expect, test } from "vitest";
import { trustScript } from "../../../test/support/tls-script.ts";
import type { Step12 } from "../../../test/support/tls-script12.ts";
import { CHANGE, FLIGHT12, ScriptedServer12 } from "../../../test/support/tls-script12.ts";
import { FLIGHT13, ScriptedServer13 } from "../../../test/support/tls-script13.ts";
import { TlsClient } from "./client.ts";

/** mulberry32: the same mutations each run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Flips, cuts, inserts, repeats or overwrites; what comes out is never the same. */
function mutate(bytes: Uint8Array, below: (n: number) => number, spare = -1): Uint8Array {
  const chosen = below(bytes.length);
  const at = chosen === spare ? chosen + 1 : chosen;
  const kind = bytes.length === 0 ? 2 : below(5);
  const [head, tail] = [[...bytes.subarray(0, at)], [...bytes.subarray(at + 1)]];
  const own = bytes[at] ?? 0;
  if (kind === 0) return Uint8Array.from([...head, own ^ (1 << below(8)), ...tail]);
  if (kind === 1) return bytes.slice(0, at);
  if (kind === 2) return Uint8Array.from([...head, below(256), own, ...tail]);
  if (kind === 3) return Uint8Array.from([...head, own ^ 0xff, ...tail]);
  return Uint8Array.from([...head, ...tail]);
}

const makeClient = (versions: ("TLSv1.3" | "TLSv1.2")[]) =>
  new TlsClient({ serverName: "server", allowInsecureCertificate: true, verify: trustScript, offer: { versions } });

const ROUNDS = 800;
/** Where the header of the first record has a version that counts for nothing (RFC 8446 §5.1). */
const FREE = 2;

test.each([...FLIGHT13, "the bytes on the wire"])("TLS 1.3, spoilt: %s", (name) => {
  const below = random(13);
  let open = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const client = makeClient(["TLSv1.3", "TLSv1.2"]);
    const edits = { [name]: (body: Uint8Array) => mutate(body, below) };
    const server = new ScriptedServer13(client.start(), { edits, honest: true });
    const flight = server.flight();
    client.receive(name.includes("wire") ? mutate(flight, below, FREE) : flight);
    if (client.state === "open") open++;
    expect(client.fault === undefined).toBe(client.state !== "failed");
  }
  expect(open).toBe(0);
});

/** What the server sends at the end, unless it cannot read the client's flight, having meant something else. */
function endOf(server: ScriptedServer12, sent: Uint8Array): Uint8Array | undefined {
  try {
    return server.end(sent);
  } catch {
    return undefined;
  }
}

test.each(["ServerHello", "Certificate", "ServerKeyExchange", "ServerHelloDone", "Finished", "the bytes on the wire"])(
  "TLS 1.2, spoilt: %s",
  (name) => {
    const below = random(12);
    let open = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const client = makeClient(["TLSv1.2"]);
      const edits = { [name]: (body: Uint8Array) => mutate(body, below) };
      const server = new ScriptedServer12(client.start(), { edits, honest: true });
      const flight = server.flight();
      const { send } = client.receive(name.includes("wire") ? mutate(flight, below, FREE) : flight);
      const end = client.state === "handshaking" && send.length > 0 ? endOf(server, send) : undefined;
      if (end) client.receive(end);
      if (client.state === "open") open++;
    }
    expect(open).toBe(0);
  },
);

test("messages of TLS 1.3 in every other order", () => {
  const below = random(31);
  for (let round = 0; round < ROUNDS; round++) {
    const steps = Array.from({ length: 1 + below(7) }, () => FLIGHT13[below(5)] ?? "Finished");
    const from = below(6);
    const order = [...FLIGHT13.slice(0, from), ...steps];
    if (order.join() === FLIGHT13.join()) continue;
    const client = makeClient(["TLSv1.3"]);
    client.receive(new ScriptedServer13(client.start(), { steps: order }).flight());
    expect(client.state).not.toBe("open");
  }
});

test("messages of TLS 1.2 in every other order", () => {
  const below = random(21);
  for (let round = 0; round < ROUNDS; round++) {
    const steps = Array.from({ length: 1 + below(6) }, () => FLIGHT12[below(4)] ?? "Finished");
    const order = [...FLIGHT12.slice(0, below(5)), ...steps];
    const end = [CHANGE, "Finished"].filter(() => below(2) === 0) as Step12[];
    if (order.join() === FLIGHT12.join() && end.length === 2) continue;
    const client = makeClient(["TLSv1.2"]);
    const server = new ScriptedServer12(client.start(), { steps: order, end });
    const { send } = client.receive(server.flight());
    const last = client.state === "handshaking" && send.length > 0 ? endOf(server, send) : undefined;
    if (last) client.receive(last);
    expect(client.state).not.toBe("open");
  }
});

test("noise", () => {
  const below = random(7);
  for (let round = 0; round < ROUNDS; round++) {
    const client = makeClient(["TLSv1.3", "TLSv1.2"]);
    client.start();
    const first = [20, 21, 22, 23][below(4)] ?? 22;
    const length = below(400);
    const body = Uint8Array.from({ length }, () => below(256));
    client.receive(Uint8Array.from([first, 3, below(4), length >> 8, length & 0xff, ...body]));
    expect(["handshaking", "failed"]).toContain(client.state);
  }
});
