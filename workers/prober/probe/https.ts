import { MAX_MESSAGE_CHARACTERS } from "../../../shared/model/observation.ts";
import { concat, NOTHING } from "../tls/bytes.ts";
import { TlsClient } from "../tls/client.ts";
import { type Channel, PlainChannel, type Received } from "./channel.ts";
import { exchange } from "./http.ts";
import { type ProbeRequest, type ProtocolProbe, type ProtocolResult, protocolResult } from "./probe-request.ts";
/**
 * HTTP/1.1 over TLS, with a TLS client of our own: the platform's sends no SNI to an address. The handshake, the
 * verification and the exchange have one deadline, and the certificate is judged by the clock at that moment.
 */
export const probeHttps: ProtocolProbe = async (connection, question, { deadline, progress, verify }) => {
  const wire = new PlainChannel(connection, deadline, progress.heard);
  const client = new TlsClient({
    serverName: question.host,
    verify: (chain: readonly Uint8Array[]) => verify(chain, question.host, Date.now()),
    allowInsecureCertificate: question.expectation.allowInsecureCertificate === true,
  });
  try {
    const session = new Session(wire, client);
    const failure = await session.open(question);
    if (failure === undefined) progress.secured();
    return withTls(failure ?? (await exchange(session, question, progress)), client);
  } finally {
    if (client.state === "open") wire.send(client.close());
    wire.release();
  }
};

/** A TLS session over the wire. What goes through it is encrypted, and only what was authenticated comes out. */
class Session implements Channel {
  readonly #wire: PlainChannel;
  readonly #client: TlsClient;
  #decrypted: Uint8Array[] = [];
  /** The end of our handshake: it goes out with the first octets of the request, since each write costs as much as a cipher. */
  #held: Uint8Array = NOTHING;

  constructor(wire: PlainChannel, client: TlsClient) {
    this.#wire = wire;
    this.#client = client;
  }

  /** Does the handshake; the answer where it fails. */
  async open(question: ProbeRequest): Promise<ProtocolResult | undefined> {
    let start = "";
    this.#wire.send(this.#client.start());
    while (this.#client.state === "handshaking") {
      const received = await this.#wire.receive();
      if (received.kind !== "octets") return unfinished(received.kind, question, this.#wire.hasHeard);
      start += Buffer.from(received.octets.subarray(0, CLEAR.length - start.length)).toString("latin1");
      this.#take(received.octets);
    }
    const { state, fault } = this.#client;
    if (state === "open") return undefined;
    if (fault === undefined) return unfinished("end", question, true);
    if (CLEAR.startsWith(start)) return protocolResult("TLSProtocolError", clearMessage(question));
    return protocolResult(fault.reason, sentence(fault.message));
  }

  send(octets: Uint8Array): void {
    if (this.#client.state === "open") this.#wire.send(concat(this.#held, this.#client.encrypt(octets)));
    this.#held = NOTHING;
  }

  /** A connection that ends without the peer's close_notify ends the same: many servers send none. */
  async receive(): Promise<Received> {
    for (;;) {
      const octets = this.#decrypted.shift();
      if (octets !== undefined) return { kind: "octets", octets };
      if (this.#client.fault !== undefined) {
        const { reason, message } = this.#client.fault;
        return { kind: "fault", fault: { reason, message: sentence(message) } };
      }
      if (this.#client.state !== "open") return { kind: "end" };
      const received = await this.#wire.receive();
      if (received.kind !== "octets") return received;
      this.#take(received.octets);
    }
  }

  #take(octets: Uint8Array): void {
    const before = this.#client.state;
    const { send, data } = this.#client.receive(octets);
    if (before === "handshaking" && this.#client.state === "open") this.#held = send;
    else this.#wire.send(send);
    this.#decrypted.push(...data.filter((piece) => piece.length > 0));
  }
}

/** How every answer of HTTP/1 begins, and no record of TLS. */
const CLEAR = "HTTP/";

function clearMessage({ port }: ProbeRequest): string {
  return `The server answers HTTP in clear on port ${port}: TLS is not on there. Is protocol HTTP meant, or another port?`;
}

/** The connection itself failed: its own reason, and that it was within the handshake. */
function unfinished(
  kind: Received["kind"],
  { host, port, timeoutMs }: ProbeRequest,
  hasHeard: boolean,
): ProtocolResult {
  const where = hasHeard ? "in the middle of it" : "without a word";
  const hint = `does port ${port} speak TLS, and has it a certificate for ${host}?`;
  if (kind === "reset") {
    return protocolResult(
      "ConnectionReset",
      `The server reset the connection during the TLS handshake, ${where}: ${hint}`,
    );
  }
  if (kind === "end") {
    return protocolResult(
      "ConnectionClosed",
      `The server closed the connection during the TLS handshake, ${where}: ${hint}`,
    );
  }
  const silence = hasHeard ? "the server went silent in the middle of it" : "the server did not say a word";
  return protocolResult("TLSHandshakeTimeout", `The TLS handshake was not done within ${timeoutMs} ms: ${silence}.`);
}

/** What is known of the session goes with every answer. */
function withTls(given: ProtocolResult, { info }: TlsClient): ProtocolResult {
  if (info === undefined) return given;
  const skipped = info.skipped && {
    reason: info.skipped.reason,
    message: sentence(info.skipped.message).slice(0, MAX_MESSAGE_CHARACTERS),
  };
  return { ...given, tls: { ...info, ...(skipped && { skipped }) } };
}

/** Messages of the TLS client are clauses; people get sentences. */
function sentence(clause: string): string {
  const start = clause.charAt(0).toUpperCase() + clause.slice(1);
  return /[.?!]$/.test(start) ? start : `${start}.`;
}
