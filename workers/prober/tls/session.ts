import { randomBytes } from "node:crypto";
import type { AlertName } from "./alert.ts";
import { concat, u8, vector24 } from "./bytes.ts";
import type { SentHello } from "./client-hello.ts";
import { encodeClientHello, readBack } from "./client-hello.ts";
import type { TlsReason } from "./fault.ts";
import type { KeyShare } from "./key-share.ts";
import { makeKeyShare } from "./key-share.ts";
import type { Message } from "./messages.ts";
import { Messages } from "./messages.ts";
import type { Offer } from "./offer.ts";
import { defaultOffer } from "./offer.ts";
import type { TlsInfo, TlsOptions } from "./options.ts";
import type { GroupName, Suite } from "./parameters.ts";
import { CONTENT, HANDSHAKE } from "./parameters.ts";
import { Records } from "./records.ts";
import { Refusal, refuse } from "./refusal.ts";
import type { LeafKey } from "./signature.ts";
import { leafKey } from "./signature.ts";
import { Transcript } from "./transcript.ts";

/** A part of the handshake: it takes what comes and says which part is next. */
export interface Stage {
  /** Whether the handshake is done, and application data may come and go. */
  readonly open: boolean;
  message(message: Message): Stage;
  changeCipherSpec(): void;
}

const CERTIFICATE_ALERTS: Partial<Record<TlsReason, AlertName>> = {
  CertificateExpired: "certificate_expired",
  CertificateUntrusted: "unknown_ca",
};

/** What all parts of a handshake share. */
export class Session {
  readonly options: TlsOptions;
  readonly offer: Offer;
  readonly records = new Records();
  readonly messages = new Messages();
  readonly transcript = new Transcript();
  shares: KeyShare[];
  sent: SentHello;
  /** Whether the server asked for a client certificate, which a probe has not. */
  certificateWanted = false;
  /** What is known of the connection so far. */
  info: TlsInfo | undefined;
  readonly #random: Uint8Array;
  readonly #sessionId: Uint8Array;

  constructor(options: TlsOptions) {
    this.options = options;
    this.offer = { ...defaultOffer(), ...options.offer };
    this.#random = this.randomBytes(32);
    // RFC 8446 §D.4: a made-up session lets TLS 1.3 look to middleboxes like a resumption of TLS 1.2.
    this.#sessionId = this.randomBytes(this.offers13 ? 32 : 0);
    this.shares = this.offers13 ? this.offer.keyShares.map((group) => this.makeShare(group)) : [];
    this.sent = { random: this.#random, sessionId: this.#sessionId, extensions: new Set() };
  }

  get offers13(): boolean {
    return this.offer.versions.includes("TLSv1.3");
  }

  randomBytes(length: number): Uint8Array {
    return this.options.randomBytes?.(length) ?? randomBytes(length);
  }

  makeShare(group: GroupName): KeyShare {
    return makeKeyShare(group, this.options.randomBytes);
  }

  /** @param recordVersion of the first record, RFC 8446 §5.1: 0x0301 for the initial ClientHello */
  sendHello(recordVersion: number, cookie?: Uint8Array): void {
    const encoded = encodeClientHello({
      serverName: this.options.serverName,
      offer: this.offer,
      random: this.#random,
      sessionId: this.#sessionId,
      shares: this.shares,
      ...(cookie && { cookie }),
    });
    const message = this.options.rewriteHello?.(encoded) ?? encoded;
    this.sent = readBack(message);
    this.transcript.add(message);
    this.records.send(CONTENT.handshake, message, recordVersion);
  }

  sendMessage(type: number, body: Uint8Array): void {
    const message = concat(u8(type), vector24(body));
    this.transcript.add(message);
    this.records.send(CONTENT.handshake, message);
  }

  /** RFC 8446 §5.1: nothing may be left over of the old keys' messages when keys change. */
  expectMessageEnd(what: string): void {
    if (this.messages.pending)
      refuse("unexpected_message", `it sent more in the same record as its ${what}, where keys change`);
  }

  /** Verifies the chain; the key to check the server's signature with. */
  acceptCertificate(chain: readonly Uint8Array[], suite: Suite): LeafKey {
    const info: TlsInfo = { version: suite.version, cipherSuite: suite.name };
    this.info = info;
    const { fault, leaf, expiresAt } = this.options.verify(chain);
    if (leaf) info.notAfter = leaf.notAfter;
    if (expiresAt !== undefined) info.expiresAt = expiresAt;
    if (fault && !this.options.allowInsecureCertificate) {
      throw new Refusal(fault, CERTIFICATE_ALERTS[fault.reason] ?? "bad_certificate");
    }
    if (fault) info.skipped = fault;
    const key = leaf && tryLeafKey(leaf.publicKey);
    if (key) return key;
    const unreadable = "The server's certificate cannot be read, or its key is of a kind unknown here";
    return refuse("bad_certificate", fault?.message ?? unreadable, "CertificateInvalid");
  }
}

function tryLeafKey(publicKey: Parameters<typeof leafKey>[0]): LeafKey | undefined {
  try {
    return leafKey(publicKey);
  } catch {
    return undefined;
  }
}

export function unexpected(message: Message, waitingFor: string): never {
  const name = Object.entries(HANDSHAKE).find(([, type]) => type === message.type)?.[0] ?? `type ${message.type}`;
  return refuse("unexpected_message", `it sent a ${name} message where only ${waitingFor} may come`);
}
