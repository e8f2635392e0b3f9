import { Reader, u8 } from "./bytes.ts";
import { Handshake12 } from "./handshake12.ts";
import { Handshake13 } from "./handshake13.ts";
import type { Message } from "./messages.ts";
import { CONTENT, EXTENSION, groupName, HANDSHAKE, TLS12 } from "./parameters.ts";
import type { ServerHello } from "./server-hello.ts";
import { readServerHello } from "./server-hello.ts";
import type { Session, Stage } from "./session.ts";
import { unexpected } from "./session.ts";
import { refuse } from "./tls-error.ts";

/** From the ClientHello to the ServerHello, which settles the version. */
export class HelloExchange implements Stage {
  readonly open = false;
  readonly #session: Session;
  #retry: ServerHello | undefined;
  #changedCipher = false;

  constructor(session: Session) {
    this.#session = session;
  }

  message(message: Message): Stage {
    // RFC 5246 §7.4.1.1: may come at any time, and counts for nothing.
    if (message.type === HANDSHAKE.helloRequest && !this.#retry && message.body.length === 0) return this;
    if (message.type !== HANDSHAKE.serverHello) unexpected(message, "a ServerHello");
    const session = this.#session;
    const hello = readServerHello(message.body, session.sent, session.offer);
    if (hello.retry) return this.#tryAgain(hello, message);
    session.records.settled = true;
    session.transcript.use(hello.suite.hash);
    session.transcript.add(message.raw);
    if (this.#retry && hello.suite.code !== this.#retry.suite.code) {
      refuse("illegal_parameter", "it changed its mind about the cipher suite after HelloRetryRequest");
    }
    if (hello.version === "TLSv1.3") return new Handshake13(session, hello, this.#retry !== undefined);
    if (this.#changedCipher) refuse("unexpected_message", "it changed keys before there were any");
    return new Handshake12(session, hello);
  }

  /** RFC 8446 §5: to be ignored from TLS 1.3 servers, and it is not yet known whether this is one. */
  changeCipherSpec(): void {
    this.#changedCipher = true;
  }

  /** HelloRetryRequest, RFC 8446 §4.1.4: once, and only if it changes something. */
  #tryAgain(hello: ServerHello, message: Message): Stage {
    if (this.#retry) refuse("unexpected_message", "it sent a second HelloRetryRequest");
    this.#retry = hello;
    const session = this.#session;
    const share = hello.extensions.get(EXTENSION.keyShare);
    const cookie = hello.extensions.get(EXTENSION.cookie);
    if (!share && !cookie) refuse("illegal_parameter", "its HelloRetryRequest asks for no change");
    if (share) session.shares = [session.makeShare(this.#wantedGroup(share))];
    session.expectMessageEnd("HelloRetryRequest");
    session.transcript.foldFirstHello(hello.suite.hash);
    session.transcript.add(message.raw);
    if (session.sent.sessionId.length > 0) session.records.sendPlain(CONTENT.changeCipherSpec, u8(1));
    session.sendHello(TLS12, cookie && readCookie(cookie));
    return this;
  }

  #wantedGroup(content: Uint8Array) {
    const reader = new Reader(content, "HelloRetryRequest");
    const code = reader.u16();
    reader.end();
    const { offer, shares } = this.#session;
    const group = groupName(code);
    if (!group || !offer.groups.includes(group) || shares.some((share) => share.group === group)) {
      return refuse(
        "illegal_parameter",
        `its HelloRetryRequest asks for group 0x${code.toString(16)}, not offered or sent already`,
      );
    }
    return group;
  }
}

function readCookie(content: Uint8Array): Uint8Array {
  const reader = new Reader(content, "cookie");
  const cookie = reader.vector16();
  reader.end();
  if (cookie.length === 0) refuse("decode_error", "its cookie is empty");
  return cookie;
}
