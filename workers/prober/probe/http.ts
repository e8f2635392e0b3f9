import type { Channel, Received } from "./channel.ts";
import { Wire } from "./channel.ts";
import { judge } from "./judge.ts";
import type { Answer, Question } from "./probe-request.ts";
import { answer } from "./probe-request.ts";
import type { Ask, Progress } from "./protocol-probe.ts";
import { writeRequest } from "./request.ts";
import { ResponseReader } from "./response-reader.ts";

/** HTTP/1.1 in clear. */
export const askHttp: Ask = async (connection, question, { deadline, progress }) => {
  const wire = new Wire(connection, deadline, progress.heard);
  try {
    return await exchange(wire, question, progress);
  } finally {
    wire.release();
  }
};

/** One GET, and as much of the answer as settles the outcome (see `judge`). Redirects are never followed. */
export async function exchange(channel: Channel, question: Question, progress: Progress): Promise<Answer> {
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
    const outcome = judge(response, question.expectation);
    if (outcome !== undefined) return outcome;
  }
}

function brokenOff(
  received: Exclude<Received, { kind: "octets" | "end" }>,
  when: string,
  { timeoutMs }: Question,
  status: number | undefined,
): Answer {
  switch (received.kind) {
    case "reset":
      return answer("ConnectionReset", `The connection was reset ${when}.`);
    case "fault":
      return answer(received.fault.reason, `${received.fault.message} That was ${when}.`);
    case "expired":
      return answer("ResponseTimeout", `The time of ${timeoutMs} ms was over ${when}.`, status);
  }
}

function whenOf(response: ResponseReader, octets: number): string {
  if (octets === 0) return "before any answer came";
  return response.status === undefined ? "before the headers were complete" : "before the body was complete";
}
