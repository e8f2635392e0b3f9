import { concat, NOTHING, Reader, u8, u16, vector8, vector16, vector24 } from "../../workers/prober/tls/bytes.ts";
import { prf } from "../../workers/prober/tls/key-schedule.ts";
import { makeKeyShare } from "../../workers/prober/tls/key-share.ts";
import { EXTENSION, GROUPS, HANDSHAKE, SUITES } from "../../workers/prober/tls/parameters.ts";
import { protect12 } from "../../workers/prober/tls/protection.ts";
import { Records } from "../../workers/prober/tls/records.ts";
import { Transcript } from "../../workers/prober/tls/transcript.ts";
import type { Edits, Hello, HelloParts, Step } from "./tls-script.ts";
import { CERTIFICATE, extension, handshake, readHello, SERVER_RANDOM, serverHello, signScript } from "./tls-script.ts";

type Name = "ServerHello" | "Certificate" | "ServerKeyExchange" | "ServerHelloDone" | "Finished";
export type Step12 = Step<Name>;
export const FLIGHT12: readonly Name[] = ["ServerHello", "Certificate", "ServerKeyExchange", "ServerHelloDone"];
export const CHANGE: Step12 = { record: 20, body: u8(1) };
export const END12: readonly Step12[] = [CHANGE, "Finished"];

const TYPES: Record<Name, number> = {
  ServerHello: HANDSHAKE.serverHello,
  Certificate: HANDSHAKE.certificate,
  ServerKeyExchange: HANDSHAKE.serverKeyExchange,
  ServerHelloDone: HANDSHAKE.serverHelloDone,
  Finished: HANDSHAKE.finished,
};

export interface Script12 {
  steps?: readonly Step12[];
  /** What follows the client's flight. */
  end?: readonly Step12[];
  edits?: Edits<Name>;
  hello?: (parts: HelloParts) => HelloParts;
  scheme?: number;
  honest?: boolean;
}

const suite = SUITES[3];

/** A scripted TLS 1.2 server. */
export class ScriptedServer12 {
  readonly hello: Hello;
  readonly reads = new Records();
  readonly #writes = new Records();
  readonly #transcript = new Transcript();
  readonly #share = makeKeyShare("x25519");
  readonly #script: Script12;
  #master: Uint8Array = NOTHING;

  constructor(start: Uint8Array, script: Script12 = {}) {
    this.hello = readHello(start);
    this.#script = script;
    this.#transcript.use(suite.hash);
    this.#transcript.add(this.hello.message);
  }

  flight(): Uint8Array {
    return concat(...(this.#script.steps ?? FLIGHT12).map((step) => this.send(step)));
  }

  /** Takes the client's flight, and gives what ends the handshake. */
  end(sent: Uint8Array): Uint8Array {
    this.#take(sent);
    return concat(...(this.#script.end ?? END12).map((step) => this.send(step)));
  }

  send(step: Step12): Uint8Array {
    if (typeof step === "string") this.#own(step);
    else if ("record" in step) this.#writes.send(step.record, step.body);
    else {
      const message = handshake(step.type, step.body);
      if (step.type !== HANDSHAKE.helloRequest) this.#transcript.add(message);
      this.#writes.send(22, message);
    }
    const bytes = this.#writes.flush();
    if (step === CHANGE && this.#master.length > 0) this.#writes.write = this.#keys().server;
    return bytes;
  }

  #own(name: Name): void {
    const body = this.#body(name);
    const message = handshake(TYPES[name], body);
    const edited = handshake(TYPES[name], this.#script.edits?.[name]?.(body) ?? body);
    this.#transcript.add(this.#script.honest ? message : edited);
    this.#writes.send(22, edited);
  }

  #body(name: Name): Uint8Array {
    switch (name) {
      case "ServerHello": {
        const extensions = [
          extension(EXTENSION.extendedMasterSecret, NOTHING),
          extension(EXTENSION.renegotiationInfo, u8(0)),
        ];
        // As a server that knows only TLS 1.2: no session.
        const parts: HelloParts = { sessionId: NOTHING, suite: suite.code, extensions };
        return serverHello(this.#script.hello?.(parts) ?? parts);
      }
      case "Certificate":
        return vector24(vector24(CERTIFICATE));
      case "ServerKeyExchange": {
        const parameters = concat(u8(3), u16(GROUPS.x25519), vector8(this.#share.publicKey));
        const signature = signScript(concat(this.hello.random, SERVER_RANDOM, parameters));
        return concat(parameters, u16(this.#script.scheme ?? 0x0403), vector16(signature));
      }
      case "ServerHelloDone":
        return NOTHING;
      case "Finished":
        return prf(suite.hash, this.#master, "server finished", this.#transcript.digest(), 12);
    }
  }

  #take(sent: Uint8Array): void {
    this.reads.feed(sent);
    for (let content = this.reads.next(); content; content = this.reads.next()) {
      if (content.type === 20) this.reads.read = this.#keys().client;
      if (content.type !== 22) continue;
      this.#transcript.add(content.body);
      if (content.body[0] !== HANDSHAKE.clientKeyExchange) continue;
      const secret = this.#share.agree(new Reader(content.body.subarray(4), "ClientKeyExchange").vector8());
      this.#master = prf(suite.hash, secret, "extended master secret", this.#transcript.digest(), 48);
    }
  }

  #keys() {
    const seed = concat(SERVER_RANDOM, this.hello.random);
    const block = new Reader(prf(suite.hash, this.#master, "key expansion", seed, 40), "key block");
    const [clientKey, serverKey, clientIv, serverIv] = [block.take(16), block.take(16), block.take(4), block.take(4)];
    return { client: protect12(suite, clientKey, clientIv), server: protect12(suite, serverKey, serverIv) };
  }
}
