import { concat, Reader, u8, vector24 } from "./bytes.ts";
import { nextSecret } from "./key-schedule.ts";
import type { Message } from "./messages.ts";
import { CONTENT, HANDSHAKE, type Suite } from "./parameters.ts";
import { protect13 } from "./protection.ts";
import { type Session, type Stage, unexpected } from "./session.ts";
import { alertCode, refuse } from "./tls-error.ts";

/** What may still come after a TLS 1.3 handshake, RFC 8446 §4.6. */
export class PostHandshake13 implements Stage {
  readonly open = true;
  readonly #session: Session;
  readonly #suite: Suite;
  readonly #secrets: { client: Uint8Array; server: Uint8Array };

  constructor(session: Session, suite: Suite, secrets: { client: Uint8Array; server: Uint8Array }) {
    this.#session = session;
    this.#suite = suite;
    this.#secrets = secrets;
  }

  changeCipherSpec(): void {
    refuse("unexpected_message", "it sent a ChangeCipherSpec after the handshake");
  }

  message(message: Message): Stage {
    if (message.type === HANDSHAKE.newSessionTicket) this.#ticket(message);
    else if (message.type === HANDSHAKE.keyUpdate) this.#keyUpdate(message);
    else unexpected(message, "NewSessionTicket or KeyUpdate");
    return this;
  }

  /** RFC 8446 §4.6.1: read for its form, and forgotten, as a probe never resumes. */
  #ticket({ body }: Message): void {
    const reader = new Reader(body, "NewSessionTicket");
    reader.u32();
    reader.u32();
    reader.vector8();
    if (reader.vector16().length === 0) refuse("decode_error", "its ticket is empty");
    reader.vector16();
    reader.end();
  }

  /** RFC 8446 §4.6.3: new keys to read with, and to write with if it asks. */
  #keyUpdate({ body }: Message): void {
    const reader = new Reader(body, "KeyUpdate");
    const asked = reader.u8();
    reader.end();
    if (asked > 1) refuse("illegal_parameter", `its KeyUpdate asks for ${asked}`);
    this.#session.expectMessageEnd("KeyUpdate");
    const { records } = this.#session;
    const { hash } = this.#suite;
    this.#secrets.server = nextSecret(hash, this.#secrets.server);
    records.read = protect13(this.#suite, this.#secrets.server);
    if (asked === 0) return;
    records.send(CONTENT.handshake, concat(u8(HANDSHAKE.keyUpdate), vector24(u8(0))));
    this.#secrets.client = nextSecret(hash, this.#secrets.client);
    records.write = protect13(this.#suite, this.#secrets.client);
  }
}

const WARNING = 1;

/** After a TLS 1.2 handshake: a new one may be asked for, and is declined (RFC 5246 §7.2.2). */
export class PostHandshake12 implements Stage {
  readonly open = true;
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  changeCipherSpec(): void {
    refuse("unexpected_message", "it changed keys after the handshake");
  }

  message(message: Message): Stage {
    if (message.type !== HANDSHAKE.helloRequest || message.body.length > 0) unexpected(message, "a HelloRequest");
    this.#session.records.send(CONTENT.alert, Uint8Array.of(WARNING, alertCode("no_renegotiation")));
    return this;
  }
}
