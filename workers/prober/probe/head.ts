/** How the end of a body is told (RFC 9112 §6.3). */
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
