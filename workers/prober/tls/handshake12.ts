import { concat, equalBytes, NOTHING, Reader, vector8, vector24 } from "./bytes.ts";
import { checkAlpn } from "./extensions.ts";
import { readKeyExchange } from "./key-exchange12.ts";
import { prf } from "./key-schedule.ts";
import { type KeyShare, makeKeyShare } from "./key-share.ts";
import type { Message } from "./messages.ts";
import { CONTENT, EXTENSION, HANDSHAKE, type Suite } from "./parameters.ts";
import { PostHandshake12 } from "./post-handshake.ts";
import { ivLength12, type Protection, protect12 } from "./protection.ts";
import type { ServerHello } from "./server-hello.ts";
import { type Session, type Stage, unexpected } from "./session.ts";
import type { LeafKey } from "./signature.ts";
import { refuse } from "./tls-error.ts";

type Step =
  | "Certificate"
  | "ServerKeyExchange"
  | "CertificateRequest or ServerHelloDone"
  | "ServerHelloDone"
  | "ChangeCipherSpec"
  | "Finished";

/** The handshake of TLS 1.2 from the ServerHello on, RFC 5246 §7.3, with ECDHE (RFC 8422) and an AEAD. */
export class Handshake12 implements Stage {
  readonly open = false;
  readonly #session: Session;
  readonly #suite: Suite;
  readonly #serverRandom: Uint8Array;
  readonly #extendedMasterSecret: boolean;
  #step: Step = "Certificate";
  #leaf: LeafKey | undefined;
  #server: { share: KeyShare; publicKey: Uint8Array } | undefined;
  #master: Uint8Array = NOTHING;
  #read: Protection | undefined;

  constructor(session: Session, hello: ServerHello) {
    this.#session = session;
    this.#suite = hello.suite;
    this.#serverRandom = hello.random;
    this.#extendedMasterSecret = checkHelloExtensions(hello);
  }

  message(message: Message): Stage {
    if (message.type === HANDSHAKE.helloRequest && message.body.length === 0 && this.#step !== "Finished") return this;
    if (this.#step === "Finished") return this.#finished(message);
    this.#session.transcript.add(message.raw);
    this.#step = this.#take(message);
    return this;
  }

  changeCipherSpec(): void {
    if (this.#step !== "ChangeCipherSpec")
      refuse("unexpected_message", `it changed keys where only ${this.#step} may come`);
    this.#session.expectMessageEnd("ChangeCipherSpec");
    this.#session.records.read = this.#read;
    this.#step = "Finished";
  }

  /** Takes a message of the server's first flight; the step that follows. */
  #take(message: Message): Step {
    const { type, body } = message;
    if (this.#step === "Certificate" && type === HANDSHAKE.certificate) {
      this.#leaf = this.#session.acceptCertificate(readChain(body), this.#suite);
      return "ServerKeyExchange";
    }
    if (this.#step === "ServerKeyExchange" && type === HANDSHAKE.serverKeyExchange && this.#leaf) {
      const { offer, sent } = this.#session;
      const randoms = concat(sent.random, this.#serverRandom);
      const { group, publicKey } = readKeyExchange(body, { leaf: this.#leaf, suite: this.#suite, offer, randoms });
      this.#server = { share: makeKeyShare(group, this.#session.options.randomBytes), publicKey };
      return "CertificateRequest or ServerHelloDone";
    }
    if (this.#step === "CertificateRequest or ServerHelloDone" && type === HANDSHAKE.certificateRequest) {
      checkCertificateRequest(body);
      this.#session.certificateWanted = true;
      return "ServerHelloDone";
    }
    if (this.#step.endsWith("ServerHelloDone") && type === HANDSHAKE.serverHelloDone) {
      new Reader(body, "ServerHelloDone").end();
      this.#answer();
      return "ChangeCipherSpec";
    }
    // RFC 5077 §3.3, though no ticket was asked for; a probe never resumes.
    if (this.#step === "ChangeCipherSpec" && type === HANDSHAKE.newSessionTicket) return this.#step;
    return unexpected(message, this.#step);
  }

  /** The client's flight: an empty certificate if one is wanted, its key, and the change to the keys agreed. */
  #answer(): void {
    const session = this.#session;
    if (!this.#server) throw new Error("No ServerKeyExchange");
    session.expectMessageEnd("ServerHelloDone");
    const { share, publicKey } = this.#server;
    const secret = share.agree(publicKey);
    if (session.certificateWanted) session.sendMessage(HANDSHAKE.certificate, vector24(NOTHING));
    session.sendMessage(HANDSHAKE.clientKeyExchange, vector8(share.publicKey));
    this.#master = this.#masterSecret(secret);
    const { read, write } = this.#keys();
    this.#read = read;
    session.records.sendPlain(CONTENT.changeCipherSpec, Uint8Array.of(1));
    session.records.write = write;
    session.sendMessage(HANDSHAKE.finished, this.#finishedMac("client finished"));
  }

  /** RFC 7627 §4, or where the server does not know that, RFC 5246 §8.1. */
  #masterSecret(secret: Uint8Array): Uint8Array {
    const { transcript, sent } = this.#session;
    const { hash } = this.#suite;
    if (this.#extendedMasterSecret) return prf(hash, secret, "extended master secret", transcript.digest(), 48);
    return prf(hash, secret, "master secret", concat(sent.random, this.#serverRandom), 48);
  }

  /** RFC 5246 §6.3; AEAD suites have no MAC keys. */
  #keys(): { read: Protection; write: Protection } {
    const suite = this.#suite;
    const seed = concat(this.#serverRandom, this.#session.sent.random);
    const ivLength = ivLength12(suite);
    const block = prf(suite.hash, this.#master, "key expansion", seed, 2 * (suite.keyLength + ivLength));
    const reader = new Reader(block, "key block");
    const [clientKey, serverKey] = [reader.take(suite.keyLength), reader.take(suite.keyLength)];
    const [clientIv, serverIv] = [reader.take(ivLength), reader.take(ivLength)];
    return { read: protect12(suite, serverKey, serverIv), write: protect12(suite, clientKey, clientIv) };
  }

  #finishedMac(label: string): Uint8Array {
    return prf(this.#suite.hash, this.#master, label, this.#session.transcript.digest(), 12);
  }

  #finished(message: Message): Stage {
    if (message.type !== HANDSHAKE.finished) return unexpected(message, "Finished");
    if (!equalBytes(message.body, this.#finishedMac("server finished"))) {
      refuse("decrypt_error", "its Finished does not match the handshake");
    }
    this.#session.expectMessageEnd("Finished");
    return new PostHandshake12(this.#session);
  }
}

/** Whether the master secret is the extended one. */
function checkHelloExtensions({ extensions }: ServerHello): boolean {
  checkAlpn(extensions.get(EXTENSION.alpn));
  // RFC 5746 §3.4: in a first handshake there is nothing to be said.
  const renegotiation = extensions.get(EXTENSION.renegotiationInfo);
  if (renegotiation && !equalBytes(renegotiation, Uint8Array.of(0))) {
    refuse("handshake_failure", "its renegotiation_info speaks of an earlier handshake");
  }
  // RFC 8422 §5.1.2: a list that lacks uncompressed points.
  const formats = extensions.get(EXTENSION.ecPointFormats);
  if (formats && !new Reader(formats, "ec_point_formats").vector8().includes(0)) {
    refuse("illegal_parameter", "it does not take uncompressed points");
  }
  const extended = extensions.get(EXTENSION.extendedMasterSecret);
  if (extended && extended.length > 0) refuse("decode_error", "its extended_master_secret is not empty");
  return extended !== undefined;
}

/** RFC 5246 §7.4.2. */
function readChain(body: Uint8Array): Uint8Array[] {
  const reader = new Reader(body, "Certificate");
  const list = new Reader(reader.vector24(), "Certificate");
  reader.end();
  const chain: Uint8Array[] = [];
  while (!list.empty) chain.push(list.vector24());
  if (chain.length === 0) refuse("decode_error", "it has no certificate");
  return chain;
}

/** RFC 5246 §7.4.4: read for its form only, as the answer is always that there is no certificate. */
function checkCertificateRequest(body: Uint8Array): void {
  const reader = new Reader(body, "CertificateRequest");
  reader.vector8();
  reader.vector16();
  reader.vector16();
  reader.end();
}
