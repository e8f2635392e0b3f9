import { concat, equalBytes, NOTHING, Reader, u8, vector8, vector24 } from "./bytes.ts";
import { checkAlpn, checkExtensions, readExtensions } from "./extensions.ts";
import { finishedMac, KeySchedule } from "./key-schedule.ts";
import type { Message } from "./messages.ts";
import { CONTENT, EXTENSION, GROUPS, HANDSHAKE, type Suite } from "./parameters.ts";
import { PostHandshake13 } from "./post-handshake.ts";
import { protect13 } from "./protection.ts";
import type { ServerHello } from "./server-hello.ts";
import { type Session, type Stage, unexpected } from "./session.ts";
import { checkSignature, type LeafKey } from "./signature.ts";
import { refuse } from "./tls-error.ts";

type Step =
  | "EncryptedExtensions"
  | "CertificateRequest or Certificate"
  | "Certificate"
  | "CertificateVerify"
  | "Finished";

/** RFC 8446 §4.4.3: what the server's signature is made over. */
const VERIFIED = concat(
  new Uint8Array(64).fill(0x20),
  new TextEncoder().encode("TLS 1.3, server CertificateVerify"),
  u8(0),
);

/** The server's flight after its ServerHello and the client's answer, RFC 8446 §2 and §A.1. */
export class Handshake13 implements Stage {
  readonly open = false;
  readonly #session: Session;
  readonly #suite: Suite;
  readonly #schedule: KeySchedule;
  readonly #secrets: { client: Uint8Array; server: Uint8Array };
  #step: Step = "EncryptedExtensions";
  #leaf: LeafKey | undefined;
  #saidChange: boolean;

  /** @param saidChange whether the dummy ChangeCipherSpec went out before a second ClientHello */
  constructor(session: Session, hello: ServerHello, saidChange: boolean) {
    this.#session = session;
    this.#suite = hello.suite;
    this.#saidChange = saidChange || session.sent.sessionId.length === 0;
    session.expectMessageEnd("ServerHello");
    this.#schedule = new KeySchedule(hello.suite.hash);
    this.#schedule.advance(agree(session, hello));
    const transcript = session.transcript.digest();
    this.#secrets = {
      client: this.#schedule.derive("c hs traffic", transcript),
      server: this.#schedule.derive("s hs traffic", transcript),
    };
    session.records.read = protect13(hello.suite, this.#secrets.server);
    session.records.write = protect13(hello.suite, this.#secrets.client);
  }

  /** RFC 8446 §D.4: comes from servers in middlebox compatibility mode. */
  changeCipherSpec(): void {}

  message(message: Message): Stage {
    switch (this.#step) {
      case "EncryptedExtensions":
        if (message.type !== HANDSHAKE.encryptedExtensions) break;
        this.#extensions(message);
        return this.#next(message, "CertificateRequest or Certificate");
      case "CertificateRequest or Certificate":
        if (message.type !== HANDSHAKE.certificateRequest) return this.#certificate(message);
        this.#certificateRequest(message);
        return this.#next(message, "Certificate");
      case "Certificate":
        return this.#certificate(message);
      case "CertificateVerify":
        if (message.type !== HANDSHAKE.certificateVerify) break;
        this.#certificateVerify(message);
        return this.#next(message, "Finished");
      case "Finished":
        if (message.type !== HANDSHAKE.finished) break;
        return this.#finished(message);
    }
    return unexpected(message, this.#step);
  }

  #next(message: Message, step: Step): Stage {
    this.#session.transcript.add(message.raw);
    this.#step = step;
    return this;
  }

  /** RFC 8446 §4.3.1. */
  #extensions({ body }: Message): void {
    const reader = new Reader(body, "EncryptedExtensions");
    const found = readExtensions(reader.vector16(), "EncryptedExtensions");
    reader.end();
    const allowed = [EXTENSION.serverName, EXTENSION.supportedGroups, EXTENSION.alpn, EXTENSION.recordSizeLimit];
    checkExtensions(found, { offered: this.#session.sent.extensions, allowed }, "EncryptedExtensions");
    checkAlpn(found.get(EXTENSION.alpn));
  }

  /** RFC 8446 §4.3.2: all that is said to it is that there is no certificate. Its extensions may be any. */
  #certificateRequest({ body }: Message): void {
    const reader = new Reader(body, "CertificateRequest");
    if (reader.vector8().length > 0) refuse("illegal_parameter", "its CertificateRequest has a context");
    const found = readExtensions(reader.vector16(), "CertificateRequest");
    reader.end();
    if (!found.has(EXTENSION.signatureAlgorithms)) {
      refuse("missing_extension", "its CertificateRequest has no signature_algorithms");
    }
    this.#session.certificateWanted = true;
  }

  /** RFC 8446 §4.4.2. */
  #certificate(message: Message): Stage {
    if (message.type !== HANDSHAKE.certificate) return unexpected(message, this.#step);
    const reader = new Reader(message.body, "Certificate");
    if (reader.vector8().length > 0) refuse("illegal_parameter", "its Certificate has a context");
    const list = new Reader(reader.vector24(), "Certificate");
    reader.end();
    const chain: Uint8Array[] = [];
    while (!list.empty) {
      chain.push(list.vector24());
      const found = readExtensions(list.vector16(), "Certificate");
      checkExtensions(found, { offered: this.#session.sent.extensions, allowed: [] }, "Certificate");
    }
    if (chain.length === 0) refuse("decode_error", "it has no certificate");
    this.#leaf = this.#session.acceptCertificate(chain, this.#suite);
    return this.#next(message, "CertificateVerify");
  }

  /** RFC 8446 §4.4.3. */
  #certificateVerify({ body }: Message): void {
    const reader = new Reader(body, "CertificateVerify");
    const scheme = reader.u16();
    const signature = reader.vector16();
    reader.end();
    const content = concat(VERIFIED, this.#session.transcript.digest());
    if (!this.#leaf) throw new Error("CertificateVerify before Certificate");
    checkSignature(this.#leaf, { scheme, content, signature }, this.#session.offer.signatureSchemes, "TLSv1.3");
  }

  /** RFC 8446 §4.4.4 and the client's own last flight. */
  #finished(message: Message): Stage {
    const { transcript, records } = this.#session;
    const { hash } = this.#suite;
    const wanted = finishedMac(hash, this.#secrets.server, transcript.digest());
    if (!equalBytes(message.body, wanted)) refuse("decrypt_error", "its Finished does not match the handshake");
    this.#session.expectMessageEnd("Finished");
    transcript.add(message.raw);
    this.#schedule.advance();
    const atFinished = transcript.digest();
    const client = this.#schedule.derive("c ap traffic", atFinished);
    const server = this.#schedule.derive("s ap traffic", atFinished);
    if (!this.#saidChange) records.sendPlain(CONTENT.changeCipherSpec, u8(1));
    if (this.#session.certificateWanted)
      this.#session.sendMessage(HANDSHAKE.certificate, concat(vector8(NOTHING), vector24(NOTHING)));
    this.#session.sendMessage(HANDSHAKE.finished, finishedMac(hash, this.#secrets.client, transcript.digest()));
    records.read = protect13(this.#suite, server);
    records.write = protect13(this.#suite, client);
    return new PostHandshake13(this.#session, this.#suite, { client, server });
  }
}

/** The shared secret with the server's share, RFC 8446 §4.2.8. */
function agree({ shares }: Session, { extensions }: ServerHello): Uint8Array {
  const content = extensions.get(EXTENSION.keyShare);
  if (!content) return refuse("missing_extension", "its ServerHello has no key share");
  const reader = new Reader(content, "key_share");
  const group = reader.u16();
  const publicKey = reader.vector16();
  reader.end();
  const own = shares.find((share) => GROUPS[share.group] === group);
  if (!own) return refuse("illegal_parameter", `it chose group 0x${group.toString(16)}, for which it got no key share`);
  return own.agree(publicKey);
}
