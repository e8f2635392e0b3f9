import { concat } from "../../workers/prober/tls/bytes.ts";
import { TlsClient } from "../../workers/prober/tls/client.ts";
import type { Offer } from "../../workers/prober/tls/offer.ts";
import { rootStore } from "../../workers/prober/tls/roots.ts";
import type { TlsOptions } from "../../workers/prober/tls/session.ts";
import { makeVerifier } from "../../workers/prober/tls/verify/verifier.ts";
import { random } from "./random.ts";
import { dialWorkerd } from "./tls-pump.ts";

/** What a real server sent in one connection, with all that it takes to have a client go through it again. */
export interface Recording {
  offer: Partial<Offer>;
  seed: number;
  /** As the server sent them, with their headers. */
  records: Uint8Array[];
  /** The leaf, to be trusted as it is. */
  certificate: Uint8Array;
}

/** The name in the certificates of test/tls. */
const HOST = "gateway.test";
const REQUEST = new TextEncoder().encode(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);

/** Goes through a connection to the server at `port`, to its end, with randomness that `seed` fixes. */
export async function record(port: number, offer: Partial<Offer>, seed: number): Promise<Recording> {
  let certificate: Uint8Array = new Uint8Array(0);
  const client = makeClient({ offer, seed }, ([leaf]) => {
    certificate = leaf!.slice();
    return makeVerifier(rootStore([certificate]))([certificate], HOST, Date.now());
  });
  const wire = await dialWorkerd(port);
  const [reader, writer] = [wire.readable.getReader(), wire.writable.getWriter()];
  const received: Uint8Array[] = [];
  await writer.write(client.start());
  let asked = false;
  for (let next = await reader.read(); next.value !== undefined; next = await reader.read()) {
    received.push(next.value.slice());
    await writer.write(client.receive(next.value).send);
    if (client.state === "open" && !asked) await writer.write(client.encrypt(REQUEST));
    asked ||= client.state === "open";
  }
  await wire.close().catch(() => undefined);
  if (client.state !== "closed") throw new Error(`The recording failed: ${client.fault?.message ?? client.state}`);
  return { offer, seed, records: recordsOf(concat(...received)), certificate };
}

/** The records in a stream of octets; what is left over comes last. */
export function recordsOf(octets: Uint8Array): Uint8Array[] {
  const records: Uint8Array[] = [];
  for (let at = 0; at < octets.length; ) {
    const end = at + 5 + (octets[at + 3] ?? 0) * 256 + (octets[at + 4] ?? 0);
    records.push(octets.slice(at, end));
    at = end;
  }
  return records;
}

/** What became of a client that was played something. */
export interface Played {
  client: TlsClient;
  opened: boolean;
  sent: Uint8Array;
  data: Uint8Array;
  /** How often a chain was verified, and randomness drawn. */
  verified: number;
  drawn: number;
}

/** Plays pieces of a stream to a client that begins as that of the recording did, and verifies with the real verifier. */
export function play(recording: Recording, pieces: Iterable<Uint8Array>, allowInsecureCertificate = false): Played {
  const verify = makeVerifier(rootStore([recording.certificate]));
  let [verified, drawn, opened] = [0, 0, false];
  const client = makeClient(
    recording,
    (chain) => {
      verified++;
      return verify(chain, HOST, Date.now());
    },
    { allowInsecureCertificate, onDraw: () => drawn++ },
  );
  client.start();
  const [sent, data]: Uint8Array[][] = [[], []];
  for (const piece of pieces) {
    const answer = client.receive(piece);
    sent!.push(answer.send);
    data!.push(...answer.data);
    // It may have opened and failed at one go; then it tells what was negotiated, as after no other fault of the protocol.
    opened ||= client.state === "open" || (client.info !== undefined && !isCertificates(client));
  }
  return { client, opened, sent: concat(...sent!), data: concat(...data!), verified, drawn };
}

const isCertificates = ({ fault }: TlsClient) => fault?.reason.startsWith("Certificate") === true;

function makeClient(
  { offer, seed }: Pick<Recording, "offer" | "seed">,
  verify: TlsOptions["verify"],
  { allowInsecureCertificate = false, onDraw = () => {} } = {},
): TlsClient {
  const next = random(seed);
  const randomBytes = (length: number) => {
    onDraw();
    return Uint8Array.from({ length }, () => Math.trunc(next() * 256));
  };
  return new TlsClient({ serverName: HOST, verify, allowInsecureCertificate, offer, randomBytes });
}
