import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { ResponseReader } from "./response-reader.ts";

const CHUNKED =
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n3\r\nabc\r\n02;x\r\nde\r\n0\r\nTrailer: x\r\n\r\n";
const octets = (text: string) => Buffer.from(text, "latin1");

function read(pieces: Uint8Array[], isClosed: boolean, wanted?: string): ResponseReader {
  const reader = new ResponseReader(wanted);
  for (const piece of pieces) {
    if (reader.fault !== undefined || reader.isComplete) break;
    reader.push(piece);
  }
  if (isClosed) reader.end();
  return reader;
}

/** An answer, whether the peer closes after it, and the expected result. */
const CASES: [string, boolean, string][] = [
  ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false, "200 complete"],
  ["HTTP/1.1 200\nContent-Length: 2\n\nok", false, "200 complete"],
  ["HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\ncontent-length: 2\r\n\r\nok", false, "200 complete"],
  ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, "200 complete"],
  ["HTTP/1.1 200 OK\r\nX: folded\r\n  line\r\nContent-Length: 0\r\n\r\n", false, "200 complete"],
  ["HTTP/1.0 200 OK\r\n\r\nbody", false, "200 more"],
  ["HTTP/1.0 200 OK\r\n\r\nbody", true, "200 complete"],
  ["HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", false, "204 complete"],
  ["HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", false, "304 complete"],
  ["HTTP/1.1 101 Switching Protocols\r\n\r\n", false, "101 complete"],
  ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Down\r\nContent-Length: 0\r\n\r\n", false, "503 complete"],
  [CHUNKED, false, "200 complete"],
  [CHUNKED.slice(0, -1), false, "200 more"],
  [CHUNKED.slice(0, -1), true, "ConnectionClosed"],
  ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", true, "ConnectionClosed"],
  ["HTTP/1.1 200 OK\r\nContent-L", true, "ConnectionClosed"],
  ["HTTP/1.1 100 Continue\r\n\r\n", true, "ConnectionClosed"],
  ["", true, "ConnectionClosed"],
  ["HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nok", false, "MalformedResponse"],
  ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", false, "MalformedResponse"],
  ["HTTP/1.1 200 OK\r\nno colon here\r\n\r\n", false, "MalformedResponse"],
  ["HTTP/2 200\r\n\r\n", false, "MalformedResponse"],
  ["HTTP/1.1 2xx OK\r\n\r\n", false, "MalformedResponse"],
  ["\r\n\r\n", false, "MalformedResponse"],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nok", false, "MalformedResponse"],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok", false, "MalformedResponse"],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nokay\r\n", false, "MalformedResponse"],
  [`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${"x".repeat(5_000)}`, false, "MalformedResponse"],
  [
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${"T: x\r\n".repeat(20_000)}`,
    false,
    "MalformedResponse",
  ],
  [`HTTP/1.1 200 OK\r\nX: ${"x".repeat(66_000)}`, false, "ResponseTooLarge"],
  ["HTTP/1.1 103 Early Hints\r\n\r\n".repeat(33), false, "ResponseTooLarge"],
  [
    `${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(32)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`,
    false,
    "200 complete",
  ],
];

const wordOf = (reader: ResponseReader) =>
  reader.fault?.reason ?? `${reader.status} ${reader.isComplete ? "complete" : "more"}`;

describe("an answer", () => {
  it.each(CASES)("%j, closed %s, is %s", (text, isClosed, word) => {
    expect(wordOf(read([octets(text)], isClosed))).toBe(word);
  });

  it("reads the same however it is cut into pieces", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CASES),
        fc.array(fc.nat({ max: 40 }), { minLength: 1 }),
        ([text, isClosed, word], cuts) => {
          const whole = octets(text.slice(0, 3_000));
          const pieces: Buffer[] = [];
          for (let at = 0, n = 0; at < whole.length; n += 1) {
            const size = 1 + (cuts[n % cuts.length] ?? 0);
            pieces.push(whole.subarray(at, at + size));
            at += size;
          }
          if (text.length <= 3_000) expect(wordOf(read(pieces, isClosed))).toBe(word);
        },
      ),
    );
  });

  it("of any octets at all throws nothing, loops nowhere and keeps little", () => {
    const start = fc.constantFrom(
      "",
      "HTTP/1.1 200 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    const token = fc.constantFrom("\r\n", "\n", "0", "f", "-", ";", ":", " ", "HTTP/1.1 100 x\r\n\r\n", "\0", "\xff");
    fc.assert(
      fc.property(start, fc.array(token, { maxLength: 200 }), (head, rest) => {
        const reader = read([octets(head), ...rest.map(octets)], true);
        expect(reader.isComplete || reader.fault !== undefined).toBe(true);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it("holds the wanted text where pieces meet, and only within the first 64 KiB", () => {
    const head = "HTTP/1.1 200 OK\r\n\r\n";
    const bytes = (text: string) => [...octets(text)].map((octet) => Uint8Array.of(octet));
    expect(read(bytes(`${head}xxhealthyxx`), false, "healthy").body.found).toBe(true);
    expect(read([octets(`${head}${"x".repeat(65_530)}healthy`)], true, "healthy").body.found).toBe(false);
    expect(read([octets(`${head}${"x".repeat(65_529)}healthy`)], true, "healthy").body.found).toBe(true);
    expect(read([Buffer.from(`${head}gesünd`)], true, "gesünd").body.found).toBe(true);
  });
});
