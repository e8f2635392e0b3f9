import { BODY_LIMIT } from "./body.ts";
import type { ProbeRequest, ProtocolResult } from "./probe-request.ts";
import { protocolResult } from "./probe-request.ts";
import type { ResponseReader } from "./response-reader.ts";

/**
 * The outcome as soon as it is known, undefined while more has to be read. A status that is not expected ends the check
 * at the headers, an expected body where it is found. Otherwise the body has to come whole, or its first 64 KiB, also
 * where no text is expected in it: a gateway that sends good headers and then trickles or breaks off serves nobody.
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
