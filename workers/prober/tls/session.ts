import { randomBytes } from "node:crypto";
import { concat, u8, vector24 } from "./bytes.ts";
import { encodeClientHello, readBack, type SentHello } from "./client-hello.ts";
import { type KeyShare, makeKeyShare } from "./key-share.ts";
import { type Message, Messages } from "./messages.ts";
import { defaultOffer, type Offer } from "./offer.ts";
import { CONTENT, type GroupName, HANDSHAKE, type Suite, type VersionName } from "./parameters.ts";
import { Records } from "./records.ts";
import { type LeafKey, leafKey } from "./signature.ts";
import { type AlertName, refuse, TlsError, type TlsFault, type TlsReason } from "./tls-error.ts";
import { Transcript } from "./transcript.ts";
import type { CertificateVerdict } from "./verify/verifier.ts";

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
      throw new TlsError(fault, CERTIFICATE_ALERTS[fault.reason] ?? "bad_certificate");
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

export interface TlsOptions {
  /** The name to verify. It goes out as SNI unless it is an IP address. */
  serverName: string;
  /** Verifies a chain: DER, leaf first, as the server sent it. */
  verify: (chain: readonly Uint8Array[]) => CertificateVerdict;
  /** The chain is verified all the same; a fault is noted, not refused. */
  allowInsecureCertificate: boolean;
  /** Versions, suites, groups, signature schemes; as browsers offer them unless given. */
  offer?: Partial<Offer>;
  /** In place of the runtime's generator, for randoms and private keys; a recorded handshake is replayed with it. */
  randomBytes?: (length: number) => Uint8Array;
  /** Sends another ClientHello in place of the encoded one; a recorded handshake is replayed with it. */
  rewriteHello?: (message: Uint8Array) => Uint8Array;
}

export interface TlsInfo {
  version: VersionName;
  /** IANA name. */
  cipherSuite: string;
  /** End of the leaf's validity, Unix ms. */
  notAfter?: number;
  /** Earliest end of validity in the path that verified, else of the leaf. Unix ms. */
  expiresAt?: number;
  /** What verification found and allowInsecureCertificate let pass. */
  skipped?: TlsFault;
}
