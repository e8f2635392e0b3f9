import { concat, u8, u16, vector8, vector16, vector24 } from "../../workers/prober/tls/bytes.ts";
import { finishedMac, KeySchedule } from "../../workers/prober/tls/key-schedule.ts";
import { makeKeyShare } from "../../workers/prober/tls/key-share.ts";
import { EXTENSION, GROUPS, HANDSHAKE, SUITES } from "../../workers/prober/tls/parameters.ts";
import { protect13 } from "../../workers/prober/tls/protection.ts";
import { Records } from "../../workers/prober/tls/records.ts";
import { Transcript } from "../../workers/prober/tls/transcript.ts";
import type { Edits, Hello, HelloParts, Step } from "./tls-script.ts";
import { CERTIFICATE, extension, handshake, readHello, serverHello, signScript } from "./tls-script.ts";

type Name = "ServerHello" | "EncryptedExtensions" | "Certificate" | "CertificateVerify" | "Finished";
export type Step13 = Step<Name>;
export const FLIGHT13: readonly Name[] = [
  "ServerHello",
  "EncryptedExtensions",
  "Certificate",
  "CertificateVerify",
  "Finished",
];

const TYPES: Record<Name, number> = {
  ServerHello: HANDSHAKE.serverHello,
  EncryptedExtensions: HANDSHAKE.encryptedExtensions,
  Certificate: HANDSHAKE.certificate,
  CertificateVerify: HANDSHAKE.certificateVerify,
  Finished: HANDSHAKE.finished,
};
const SIGNED = concat(
  new Uint8Array(64).fill(0x20),
  new TextEncoder().encode("TLS 1.3, server CertificateVerify"),
  u8(0),
);

export interface Script13 {
  steps?: readonly Step13[];
  edits?: Edits<Name>;
  hello?: (parts: HelloParts) => HelloParts;
  scheme?: number;
  /** The server reckons with what it meant to send, not with its spoilt messages. */
  honest?: boolean;
}

const suite = SUITES[0];

/** A scripted TLS 1.3 server. */
export class ScriptedServer13 {
  readonly hello: Hello;
  /** Reads what the client sends, under the newest keys of the handshake. */
  readonly reads = new Records();
  readonly #writes = new Records();
  readonly #transcript = new Transcript();
  readonly #share = makeKeyShare("x25519");
  readonly #schedule = new KeySchedule(suite.hash);
  readonly #script: Script13;
  #secrets: { client: Uint8Array; server: Uint8Array } | undefined;

  constructor(start: Uint8Array, script: Script13 = {}) {
    this.hello = readHello(start);
    this.#script = script;
    this.#transcript.use(suite.hash);
    this.#transcript.add(this.hello.message);
  }

  /** Everything the script has the server send. */
  flight(): Uint8Array {
    return concat(...(this.#script.steps ?? FLIGHT13).map((step) => this.send(step)));
  }

  send(step: Step13): Uint8Array {
    if (typeof step !== "string" && "record" in step) {
      const { record: type, body } = step;
      // An empty one too, which the record layer would not send.
      if (this.#writes.write) return this.#writes.write.seal({ type, body });
      this.#writes.sendPlain(type, body);
    } else if (typeof step === "string") this.#own(step);
    else {
      this.#transcript.add(handshake(step.type, step.body));
      this.#writes.send(22, handshake(step.type, step.body));
    }
    return this.#writes.flush();
  }

  #own(name: Name): void {
    const body = this.#body(name);
    const message = handshake(TYPES[name], body);
    const edited = handshake(TYPES[name], this.#script.edits?.[name]?.(body) ?? body);
    this.#transcript.add(this.#script.honest ? message : edited);
    this.#writes.send(22, edited);
    if (name === "ServerHello") this.#handshakeKeys();
    if (name === "Finished") this.#applicationKeys();
  }

  #body(name: Name): Uint8Array {
    switch (name) {
      case "ServerHello":
        return serverHello(this.#helloParts());
      case "EncryptedExtensions":
        return vector16(new Uint8Array(0));
      case "Certificate":
        return concat(vector8(new Uint8Array(0)), vector24(concat(vector24(CERTIFICATE), vector16(new Uint8Array(0)))));
      case "CertificateVerify": {
        const signature = signScript(concat(SIGNED, this.#transcript.digest()));
        return concat(u16(this.#script.scheme ?? 0x0403), vector16(signature));
      }
      case "Finished":
        return this.#secrets
          ? finishedMac(suite.hash, this.#secrets.server, this.#transcript.digest())
          : new Uint8Array(32);
    }
  }

  #helloParts(): HelloParts {
    const parts: HelloParts = {
      sessionId: this.hello.sessionId,
      suite: suite.code,
      extensions: [
        extension(EXTENSION.supportedVersions, u16(0x0304)),
        extension(EXTENSION.keyShare, concat(u16(GROUPS.x25519), vector16(this.#share.publicKey))),
      ],
    };
    return this.#script.hello?.(parts) ?? parts;
  }

  #handshakeKeys(): void {
    const peer = this.hello.shares.get(GROUPS.x25519);
    if (!peer) throw new Error("The client sent no share for x25519");
    this.#schedule.advance(this.#share.agree(peer));
    this.#useKeys("hs");
  }

  #applicationKeys(): void {
    this.#schedule.advance();
    this.#useKeys("ap");
  }

  #useKeys(which: "hs" | "ap"): void {
    const digest = this.#transcript.digest();
    const client = this.#schedule.derive(`c ${which} traffic`, digest);
    const server = this.#schedule.derive(`s ${which} traffic`, digest);
    this.#secrets = { client, server };
    // The client is still to send its Finished under the keys of the handshake.
    if (which === "hs") this.reads.read = protect13(suite, client);
    this.#writes.write = protect13(suite, server);
  }

  /** From the client's Finished on. */
  readApplication(): void {
    if (this.#secrets) this.reads.read = protect13(suite, this.#secrets.client);
  }
}
