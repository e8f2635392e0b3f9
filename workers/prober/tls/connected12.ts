import { alertCode } from "./alert.ts";
import type { Message } from "./messages.ts";
import { CONTENT, HANDSHAKE } from "./parameters.ts";
import { refuse } from "./refusal.ts";
import type { Session, Stage } from "./session.ts";
import { unexpected } from "./session.ts";

const WARNING = 1;

/** After a TLS 1.2 handshake: a new one may be asked for, and is declined (RFC 5246 §7.2.2). */
export class Connected12 implements Stage {
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
