const LINE_LIMIT = 4_096;
const TRAILER_LIMIT = 65_536;
const SIZE_LINE = /^([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?$/;
const LINE_FEED = 0x0a;

type Expecting = "size" | "data" | "data end" | "trailer" | "nothing";

/** Takes chunked transfer coding apart (RFC 9112 §7.1), piece by piece, with every line bounded. */
export class ChunkedReader {
  #expecting: Expecting = "size";
  #line = "";
  #octetsLeft = 0;
  #trailerOctets = 0;

  get isComplete(): boolean {
    return this.#expecting === "nothing";
  }

  /** Gives the data in the piece to `onData`; answers which rule is broken, if one is. */
  push(piece: Uint8Array, onData: (data: Uint8Array) => void): string | undefined {
    let at = 0;
    while (at < piece.length && !this.isComplete) {
      if (this.#expecting === "data") {
        const data = piece.subarray(at, at + this.#octetsLeft);
        onData(data);
        at += data.length;
        this.#octetsLeft -= data.length;
        if (this.#octetsLeft === 0) this.#expecting = "data end";
        continue;
      }
      const lineFeedAt = piece.indexOf(LINE_FEED, at);
      const end = lineFeedAt < 0 ? piece.length : lineFeedAt;
      if (this.#line.length + end - at > LINE_LIMIT)
        return `a line of the chunked coding is longer than ${LINE_LIMIT} octets`;
      this.#line += Buffer.from(piece.subarray(at, end)).toString("latin1");
      at = end + 1;
      const fault = lineFeedAt < 0 ? undefined : this.#takeLine();
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #takeLine(): string | undefined {
    const line = this.#line.replace(/\r$/, "");
    this.#line = "";
    if (this.#expecting === "size") return this.#takeSize(line);
    if (this.#expecting === "data end") {
      this.#expecting = "size";
      return line === "" ? undefined : "a chunk is longer than its size says";
    }
    this.#trailerOctets += line.length;
    if (this.#trailerOctets > TRAILER_LIMIT) return `the trailers are longer than ${TRAILER_LIMIT} octets`;
    if (line === "") this.#expecting = "nothing";
    return undefined;
  }

  #takeSize(line: string): string | undefined {
    const size = SIZE_LINE.exec(line)?.[1];
    if (size === undefined) return "a chunk size is not a hexadecimal number";
    this.#octetsLeft = Number.parseInt(size, 16);
    this.#expecting = this.#octetsLeft === 0 ? "trailer" : "data";
    return undefined;
  }
}
