import { beforeAll, describe, expect, inject, test } from "vitest";
import { pick, random } from "../../../test/support/random.ts";
import { essence } from "../../../test/support/tls-intact.ts";
import type { Below } from "../../../test/support/tls-mutations.ts";
import { MUTATIONS } from "../../../test/support/tls-mutations.ts";
import type { Played, Recording } from "../../../test/support/tls-recorded.ts";
import { play, record, recordsOf } from "../../../test/support/tls-recorded.ts";
import { trustScript } from "../../../test/support/tls-script.ts";
import { ScriptedServer13 } from "../../../test/support/tls-script13.ts";
import { concat } from "./bytes.ts";
import { TlsClient } from "./client.ts";
import type { Offer } from "./offer.ts";

const { node, special } = inject("tlsPeers");
const FLIGHTS = 1_750;
const NAMES = Object.keys(MUTATIONS);

/** Real handshakes, recorded at each run. */
const HANDSHAKES: [string, number, Partial<Offer>][] = [
  ["TLS 1.3 with ECDSA", node.p256, { versions: ["TLSv1.3"], keyShares: ["x25519"] }],
  ["TLS 1.3 with RSA", node.rsa, {}],
  ["TLS 1.3 with HelloRetryRequest", special.p384Group, {}],
  ["TLS 1.2 with ECDSA", node.p256, { versions: ["TLSv1.2"] }],
  [
    "TLS 1.2 whose keys do not hang on all of the handshake",
    node.rsa,
    { versions: ["TLSv1.2"], extendedMasterSecret: false },
  ],
  ["TLS 1.2 with RSA, of a client that knows TLS 1.3", special.tls12, {}],
];

/** Whole, an octet at a time, or in pieces of any length. */
function* pieces(stream: Uint8Array, below: Below): Generator<Uint8Array> {
  const longest = [stream.length, 1, 7, 300, 300, stream.length][below(6)] ?? 1;
  for (let at = 0; at < stream.length; ) {
    const length = longest === stream.length ? longest : 1 + below(longest);
    yield stream.subarray(at, at + length);
    at += length;
  }
}

test("an alert that ends nothing is not taken in the clear once there are keys", () => {
  const client = new TlsClient({ serverName: "server", allowInsecureCertificate: false, verify: trustScript });
  client.receive(new ScriptedServer13(client.start()).send("ServerHello"));
  client.receive(Uint8Array.of(21, 3, 3, 0, 2, 1, 90));
  expect(client.fault?.message).toMatch(/unencrypted/);
});

describe.each(HANDSHAKES)("%s, recorded", (title, port, offer) => {
  const is13 = title.startsWith("TLS 1.3");
  let recording: Recording;
  let whole: Played;
  let handshake: string[];

  beforeAll(async () => {
    recording = await record(port, offer, 1);
    whole = play(recording, recording.records);
    const opens = recording.records.findIndex(
      (_, last) => play(recording, recording.records.slice(0, last + 1)).opened,
    );
    handshake = essence(concat(...recording.records.slice(0, opens + 1)), is13);
  });

  test("opens when it is played as it was", () => {
    expect(whole.client.state).toBe("closed");
    expect(new TextDecoder().decode(whole.data)).toContain("hello");
    expect(handshake.length).toBeGreaterThan(3);
  });

  test("never opens otherwise, nor hands out what the server did not send", () => {
    const next = random(20_261_130);
    const below: Below = (limit) => Math.trunc(next() * limit);
    const ends = { opened: 0, failed: 0, waiting: 0 };
    for (let flight = 0; flight < FLIGHTS; flight++) {
      const names = Array.from({ length: below(4) === 0 ? 2 : 1 }, () => pick(NAMES, next));
      const change = (octets: Uint8Array, name: string) => concat(...MUTATIONS[name]!(recordsOf(octets), below));
      const stream = names.reduce(change, concat(...recording.records));
      const played = play(recording, pieces(stream, below), flight % 2 === 0);
      expect(wrongOf(played, stream), `flight ${flight}: ${names.join(", then ")}`).toEqual([]);
      ends[played.opened ? "opened" : played.client.state === "failed" ? "failed" : "waiting"]++;
    }
    // Some changes come behind the handshake, or change nothing; and a cut leaves a client waiting.
    expect(Math.min(ends.opened, ends.failed, ends.waiting)).toBeGreaterThan(20);
  });

  function wrongOf({ client, opened, sent, data, verified, drawn }: Played, stream: Uint8Array): string[] {
    const found = essence(stream, is13);
    const isIntact = handshake.every((part, index) => found[index] === part);
    const rules: [string, boolean][] = [
      ["it opened though the handshake was changed", !opened || isIntact],
      [
        "what was sent is not what the handshake answers",
        !opened || startsWith(sent, whole.sent.subarray(0, sent.length)),
      ],
      ["data came that the server did not send", startsWith(whole.data, data) && (opened || data.length === 0)],
      ["a fault and a state that do not fit", (client.fault !== undefined) === (client.state === "failed")],
      ["a fault of our own", client.fault?.message.includes("The TLS client failed") !== true],
      ["too much was sent", sent.length <= whole.sent.length + 100],
      ["it worked more than once", verified <= 1 && drawn <= whole.drawn + 1],
    ];
    return rules.filter(([, holds]) => !holds).map(([rule]) => rule);
  }
});

const startsWith = (octets: Uint8Array, start: Uint8Array) =>
  Buffer.compare(octets.subarray(0, start.length), start) === 0;
