import { DEFAULT_PORT } from "../../../shared/model/protocol.ts";
import { type Channel, PlainChannel, type Received } from "./channel.ts";
import {
  type ProbeRequest,
  type Progress,
  type ProtocolProbe,
  type ProtocolResult,
  protocolResult,
} from "./probe-request.ts";
import { BODY_LIMIT, ResponseReader } from "./response-reader.ts";
/** HTTP/1.1 in clear. */
export const probeHttp: ProtocolProbe = async (connection, question, { deadline, progress }) => {
  const wire = new PlainChannel(connection, deadline, progress.heard);
  try {
    return await exchange(wire, question, progress);
  } finally {
    wire.release();
  }
};

/** One GET, and as much of the answer as settles the outcome (see `judge`). Redirects are never followed. */
export async function exchange(channel: Channel, question: ProbeRequest, progress: Progress): Promise<ProtocolResult> {
  const response = new ResponseReader(question.expectation.body);
  let octets = 0;
  channel.send(writeRequest(question));
  for (;;) {
    const received = await channel.receive();
    if (received.kind === "octets") {
      if (octets === 0) progress.answered();
      octets += received.octets.length;
      response.push(received.octets);
    } else if (received.kind === "end") response.end();
    else return failedResult(received, whenOf(response, octets), question, response.status);
    const outcome = evaluateResponse(response, question.expectation);
    if (outcome !== undefined) return outcome;
  }
}

function failedResult(
  received: Exclude<Received, { kind: "octets" | "end" }>,
  when: string,
  { timeoutMs }: ProbeRequest,
  status: number | undefined,
): ProtocolResult {
  switch (received.kind) {
    case "reset":
      return protocolResult("ConnectionReset", `The connection was reset ${when}.`);
    case "fault":
      return protocolResult(received.fault.reason, `${received.fault.message} That was ${when}.`);
    case "expired":
      return protocolResult("ResponseTimeout", `The time of ${timeoutMs} ms was over ${when}.`, status);
  }
}

function whenOf(response: ResponseReader, octets: number): string {
  if (octets === 0) return "before any answer came";
  return response.status === undefined ? "before the headers were complete" : "before the body was complete";
}

/**
 * The outcome as soon as it is known, undefined while more has to be read. A status that is not expected ends the check at the
 * headers, an expected body where it is found. Otherwise the whole body must arrive, or its first 64 KiB, also where no text is
 * expected in it. A gateway that sends good headers and then trickles or breaks off serves no user.
 */
export function evaluateResponse(
  reader: ResponseReader,
  expectation: ProbeRequest["expectation"],
): ProtocolResult | undefined {
  const { status, body } = reader;
  if (status !== undefined && !expectation.statuses.some(({ from, to }) => from <= status && status <= to)) {
    return protocolResult("UnexpectedStatus", statusMessage(status, expectation.statuses), status);
  }
  if (body.found) return protocolResult("Ok", undefined, status);
  if (reader.fault !== undefined) return protocolResult(reader.fault.reason, reader.fault.message, status);
  if (status === undefined || !(reader.isComplete || body.isFull)) return undefined;
  if (expectation.body === undefined) return protocolResult("Ok", undefined, status);
  const where = body.isFull ? `the first ${BODY_LIMIT / 1024} KiB of the body` : "the body";
  return protocolResult("BodyMismatch", `The expected text is not in ${where}.`, status);
}

function statusMessage(status: number, statuses: ProbeRequest["expectation"]["statuses"]): string {
  const expected = statuses.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
  if (status === 101) return `Status 101 switches to a protocol nobody asked for; expected ${expected}.`;
  const hint = status >= 300 && status < 400 ? " Redirects are not followed." : "";
  return `Status ${status}; expected ${expected}.${hint}`;
}

/**
 * The smallest correct GET: one Host with the port only if it is not the default, no framing headers, and nothing after
 * the blank line. (Balancers were seen to refuse a GET with `Content-Length: 0`.)
 */
export function writeRequest(question: ProbeRequest): Uint8Array {
  const port = question.port === DEFAULT_PORT[question.protocol] ? "" : `:${question.port}`;
  const asksForType = Object.keys(question.headers).some((name) => name.toLowerCase() === "accept");
  const lines = [
    `GET ${question.path} HTTP/1.1`,
    `Host: ${question.host}${port}`,
    `User-Agent: ${question.userAgent}`,
    ...(asksForType ? [] : ["Accept: */*"]),
    "Connection: close",
    ...Object.entries(question.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`);
}
