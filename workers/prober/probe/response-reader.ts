import type { Reason } from "../../../shared/reason.ts";
import { ChunkedReader } from "./chunked.ts";

const HEAD_LIMIT = 65_536;
const MAX_INTERIM = 32;

export interface Fault {
  reason: Extract<Reason, "MalformedResponse" | "ResponseTooLarge" | "ConnectionClosed">;
  message: string;
}

/**
 * Reads one HTTP/1.x response piece by piece, bounded at every point. This reader is our own. http-parser-js takes a chunk size
 * that is no number for the last chunk, and loops for ever on a negative one. It bounds neither trailers nor chunk lines.
 */
export class ResponseReader {
  readonly body: BodyStart;
  /** The final status; undefined while only interim answers came. */
  status: number | undefined;
  fault: Fault | undefined;
  isComplete = false;
  #head: Buffer = Buffer.alloc(0);
  #interim = 0;
  #framing: Framing = { kind: "none" };
  #octetsLeft = 0;
  #chunks = new ChunkedReader();

  /** `wanted` is a text to look for in the beginning of the body. */
  constructor(wanted: string | undefined) {
    this.body = new BodyStart(wanted);
  }

  /** Takes what came in. */
  push(piece: Uint8Array): void {
    if (this.status === undefined) this.#pushHead(piece);
    else this.#pushBody(piece);
  }

  /** The peer has closed its side: right for a body without a length, too early for everything else. */
  end(): void {
    if (this.isComplete || this.fault !== undefined) return;
    if (this.status !== undefined && this.#framing.kind === "close") {
      this.isComplete = true;
      return;
    }
    const when =
      this.status !== undefined ? "within the body" : this.#hasBegun ? "within the headers" : "without an answer";
    this.fault = { reason: "ConnectionClosed", message: `The connection was closed ${when}.` };
  }

  get #hasBegun(): boolean {
    return this.#head.length > 0 || this.#interim > 0;
  }

  #pushHead(piece: Uint8Array): void {
    const before = this.#head.length;
    const head = Buffer.concat([this.#head, piece.subarray(0, HEAD_LIMIT + 4 - before)]);
    const end = endOfHead(head, Math.max(0, before - 3));
    if (end === undefined && head.length > HEAD_LIMIT) {
      this.#fail("ResponseTooLarge", `The headers are longer than ${HEAD_LIMIT} octets.`);
      return;
    }
    if (end === undefined) {
      this.#head = head;
      return;
    }
    this.#head = Buffer.alloc(0);
    this.#takeHead(head.subarray(0, end.text).toString("latin1"));
    const rest = piece.subarray(end.next - before);
    if (this.fault === undefined && !this.isComplete) this.push(rest);
  }

  #takeHead(text: string): void {
    const head = readHead(text);
    if (typeof head === "string") {
      this.#fail("MalformedResponse", `The answer is not valid HTTP/1.1: ${head}.`);
      return;
    }
    if (head.status < 200 && head.status !== 101) {
      this.#interim += 1;
      if (this.#interim > MAX_INTERIM)
        this.#fail("ResponseTooLarge", `More than ${MAX_INTERIM} interim answers (1xx).`);
      return;
    }
    this.status = head.status;
    this.#framing = head.framing;
    this.#octetsLeft = head.framing.kind === "length" ? head.framing.octets : 0;
    this.isComplete = head.framing.kind === "none" || (head.framing.kind === "length" && head.framing.octets === 0);
  }

  #pushBody(piece: Uint8Array): void {
    if (this.#framing.kind === "chunked") {
      const fault = this.#chunks.push(piece, (part) => this.body.add(part));
      if (fault !== undefined) this.#fail("MalformedResponse", `The answer is not valid HTTP/1.1: ${fault}.`);
      this.isComplete = this.#chunks.isComplete;
      return;
    }
    if (this.#framing.kind === "close") {
      this.body.add(piece);
      return;
    }
    this.body.add(piece.subarray(0, this.#octetsLeft));
    this.#octetsLeft -= Math.min(this.#octetsLeft, piece.length);
    this.isComplete = this.#octetsLeft === 0;
  }

  #fail(reason: Fault["reason"], message: string): void {
    this.fault = { reason, message };
  }
}

/** Where the header block ends and what follows it begins; a bare LF is taken for a line end, as RFC 9112 §2.2 allows. */
function endOfHead(octets: Buffer, from: number): { text: number; next: number } | undefined {
  for (let at = octets.indexOf(0x0a, from); at >= 0; at = octets.indexOf(0x0a, at + 1)) {
    if (octets[at + 1] === 0x0a) return { text: lineEnd(octets, at), next: at + 2 };
    if (octets[at + 1] === 0x0d && octets[at + 2] === 0x0a) return { text: lineEnd(octets, at), next: at + 3 };
  }
  return undefined;
}

function lineEnd(octets: Buffer, lineFeedAt: number): number {
  return octets[lineFeedAt - 1] === 0x0d ? lineFeedAt - 1 : lineFeedAt;
}

/** How the end of a body is recognized (RFC 9112 §6.3). */
export type Framing = { kind: "none" } | { kind: "length"; octets: number } | { kind: "chunked" } | { kind: "close" };

export interface Head {
  status: number;
  framing: Framing;
}

const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: .*)?$/;

/** Reads a header block, without its blank line. A string says which rule it breaks, without quoting any value. */
export function readHead(text: string): Head | string {
  const [statusLine = "", ...lines] = text.split(/\r?\n/);
  const status = STATUS_LINE.exec(statusLine)?.[1];
  if (status === undefined) return "the answer does not begin with an HTTP/1.x status line";
  const headers = readFields(lines);
  if (typeof headers === "string") return headers;
  const framing = framingOf(Number(status), headers);
  return typeof framing === "string" ? framing : { status: Number(status), framing };
}

interface Fields {
  lengths: string[];
  codings: string[];
}

/** Only the two fields that frame a body matter here; a folded line (obs-fold) belongs to the field before it. */
function readFields(lines: string[]): Fields | string {
  const fields: Fields = { lengths: [], codings: [] };
  for (const line of lines) {
    if (/^[ \t]/.test(line)) continue;
    const colon = line.indexOf(":");
    if (colon < 1) return "a header line has no name";
    const name = line.slice(0, colon).toLowerCase();
    const values = line.slice(colon + 1).split(",");
    if (name === "content-length") fields.lengths.push(...values.map((value) => value.trim()));
    if (name === "transfer-encoding") fields.codings.push(...values.map((value) => value.trim().toLowerCase()));
  }
  return fields;
}

function framingOf(status: number, { lengths, codings }: Fields): Framing | string {
  if (status < 200 || status === 204 || status === 304) return { kind: "none" };
  if (codings.length > 0) return codings.at(-1) === "chunked" ? { kind: "chunked" } : { kind: "close" };
  const [length, ...others] = lengths;
  if (length === undefined) return { kind: "close" };
  if (!/^\d{1,15}$/.test(length)) return "Content-Length is not a number";
  if (others.some((other) => other !== length)) return "there are two different Content-Lengths";
  return { kind: "length", octets: Number(length) };
}

/** How much of a body is looked at. */
export const BODY_LIMIT = 65_536;

/** The beginning of a body, and whether a text occurred in it. Bounded, and linear however small the pieces are. */
export class BodyStart {
  readonly #wanted: Buffer | undefined;
  readonly #start: Buffer;
  #length = 0;
  #found = false;

  constructor(wanted: string | undefined) {
    this.#wanted = wanted === undefined ? undefined : Buffer.from(wanted);
    this.#start = wanted === undefined ? Buffer.alloc(0) : Buffer.alloc(BODY_LIMIT);
  }

  get found(): boolean {
    return this.#found;
  }

  get isFull(): boolean {
    return this.#length >= BODY_LIMIT;
  }

  add(piece: Uint8Array): void {
    const taken = piece.subarray(0, BODY_LIMIT - this.#length);
    const before = this.#length;
    this.#length += taken.length;
    if (this.#wanted === undefined || this.#found) return;
    this.#start.set(taken, before);
    const from = Math.max(0, before - this.#wanted.length + 1);
    this.#found = this.#start.subarray(0, this.#length).indexOf(this.#wanted, from) >= 0;
  }
}
