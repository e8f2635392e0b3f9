import type { Channel, Received } from "./channel.ts";
import { PlainChannel } from "./channel.ts";
import { evaluateResponse } from "./judge.ts";
import type { ProbeRequest, ProtocolResult } from "./probe-request.ts";
import { protocolResult } from "./probe-request.ts";
import type { Progress, ProtocolProbe } from "./protocol-probe.ts";
import { writeRequest } from "./request.ts";
import { ResponseReader } from "./response-reader.ts";

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
    else return brokenOff(received, whenOf(response, octets), question, response.status);
    const outcome = evaluateResponse(response, question.expectation);
    if (outcome !== undefined) return outcome;
  }
}

function brokenOff(
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
