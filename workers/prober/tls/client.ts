import { NOTHING } from "./bytes.ts";
import { HelloExchange } from "./hello-exchange.ts";
import { CONTENT } from "./parameters.ts";
import type { Content } from "./protection.ts";
import { Session, type Stage, type TlsInfo, type TlsOptions } from "./session.ts";
import { alertCode, alertFault, alertName, refuse, TlsError, type TlsFault } from "./tls-error.ts";
export type TlsState = "handshaking" | "open" | "closed" | "failed";

const WARNING = 1;
const FATAL = 2;
/** Warnings that do not end a handshake, and ChangeCipherSpecs, that are let pass before it is called an attack. */
const MOST_WARNINGS = 8;

/**
 * A TLS 1.3 and 1.2 client that does no I/O: bytes go in and come out, and time limits are the caller's. It offers what browsers
 * do, never resumes and never renegotiates. Nothing it is given makes it throw: what is wrong with the server is `fault`.
 */
export class TlsClient {
  readonly #session: Session;
  #stage: Stage;
  #state: TlsState = "handshaking";
  #fault: TlsFault | undefined;
  #warnings = 0;
  #opened = false;

  constructor(options: TlsOptions) {
    this.#session = new Session(options);
    this.#stage = new HelloExchange(this.#session);
  }

  get state(): TlsState {
    return this.#state;
  }

  /** Why the state is "failed". */
  get fault(): TlsFault | undefined {
    return this.#fault;
  }

  /** What was negotiated: once the handshake is done, and of a refused certificate. */
  get info(): TlsInfo | undefined {
    return this.#opened || this.#fault?.reason.startsWith("Certificate") ? this.#session.info : undefined;
  }

  /** The first bytes to send. */
  start(): Uint8Array {
    this.#session.sendHello(0x0301);
    return this.#session.records.flush();
  }

  /** Takes bytes of any length from the server; gives those to send and the application data that came. */
  receive(bytes: Uint8Array): { send: Uint8Array; data: Uint8Array[] } {
    const data: Uint8Array[] = [];
    if (this.#ended) return { send: NOTHING, data };
    try {
      const { records } = this.#session;
      records.feed(bytes);
      for (let content = records.next(); content; content = records.next()) {
        this.#take(content, data);
        if (this.#ended) break;
      }
    } catch (error) {
      this.#fail(error);
    }
    if (this.#ended) this.#forget();
    return { send: this.#session.records.flush(), data };
  }

  /** The records of application data. @throws unless the state is "open", which only a mistake of the caller does */
  encrypt(data: Uint8Array): Uint8Array {
    if (this.#state !== "open") throw new Error(`TLS: no data can be sent while the connection is ${this.#state}`);
    this.#session.records.send(CONTENT.applicationData, data);
    return this.#session.records.flush();
  }

  /** The close_notify alert; nothing once the connection failed. */
  close(): Uint8Array {
    if (this.#state === "failed") return NOTHING;
    this.#session.records.send(CONTENT.alert, Uint8Array.of(WARNING, alertCode("close_notify")));
    return this.#session.records.flush();
  }

  get #ended(): boolean {
    return this.#state === "closed" || this.#state === "failed";
  }

  #forget(): void {
    this.#session.records.drop();
    this.#session.messages.drop();
  }

  #take({ type, body }: Content, data: Uint8Array[]): void {
    if (type !== CONTENT.handshake && type !== CONTENT.alert && this.#session.messages.pending) {
      refuse("unexpected_message", "it sent something else in the middle of a handshake message");
    }
    switch (type) {
      case CONTENT.alert:
        this.#alert(body);
        break;
      case CONTENT.handshake:
        this.#handshake(body);
        break;
      case CONTENT.changeCipherSpec:
        this.#changeCipherSpec(body);
        break;
      case CONTENT.applicationData:
        if (!this.#stage.open) refuse("unexpected_message", "it sent application data before the handshake was done");
        if (body.length > 0) data.push(body);
        break;
      default:
        refuse("unexpected_message", `it sent a record of unknown type ${type}`);
    }
  }

  #handshake(body: Uint8Array): void {
    const { messages } = this.#session;
    messages.feed(body);
    for (let message = messages.next(); message; message = messages.next()) {
      this.#stage = this.#stage.message(message);
    }
    if (this.#stage.open && this.#state === "handshaking") {
      this.#state = "open";
      this.#opened = true;
      this.#session.records.established = true;
    }
  }

  #changeCipherSpec(body: Uint8Array): void {
    if (body.length !== 1 || body[0] !== 1) refuse("unexpected_message", "it sent a malformed ChangeCipherSpec");
    this.#countWarning("ChangeCipherSpecs");
    this.#stage.changeCipherSpec();
  }

  #countWarning(what: string): void {
    if (++this.#warnings > MOST_WARNINGS) refuse("unexpected_message", `it sends too many ${what}`);
  }

  /** RFC 8446 §6 and RFC 5246 §7.2: in TLS 1.3 all but two end the connection, before it a level tells. */
  #alert(body: Uint8Array): void {
    const [level, code] = body;
    if (level === undefined || code === undefined || body.length !== 2) {
      refuse("decode_error", "it sent an alert that is not two bytes long");
    }
    const name = alertName(code);
    if (name === "close_notify" && this.#state === "open") {
      this.#state = "closed";
      return;
    }
    const is13 = this.#session.records.read?.version === "TLSv1.3";
    const harmless = name === "user_canceled" || (level === WARNING && !is13);
    if (!harmless || name === "close_notify")
      throw new TlsError(
        alertFault(code, { open: this.#stage.open, certificateWanted: this.#session.certificateWanted }),
        undefined,
      );
    this.#countWarning("warning alerts");
  }

  #fail(error: unknown): void {
    const known = error instanceof TlsError;
    this.#state = "failed";
    this.#fault = known
      ? error.fault
      : { reason: "InternalError", message: `The TLS client failed: ${error instanceof Error ? error.name : "error"}` };
    const alert = known ? error.alert : "internal_error";
    if (!alert) return;
    try {
      this.#session.records.send(CONTENT.alert, Uint8Array.of(FATAL, alertCode(alert)));
    } catch {
      // The alert is a courtesy; the fault stands without it.
    }
  }
}
