import type { Deadline } from "../deadline.ts";
import { EXPIRED } from "../deadline.ts";
import type { Answer, Question } from "../question.ts";
import { answer } from "../question.ts";
import type { Ask } from "./ask.ts";
import { judge } from "./judge.ts";
import { writeRequest } from "./request.ts";
import { ResponseReader } from "./response.ts";

const LOST: unique symbol = Symbol("lost");

/** HTTP/1.1: one GET, and as much of the answer as settles the outcome (see `judge`). Redirects are never followed. */
export const askHttp: Ask = async (connection, question, deadline, onFirstByte) => {
  const writer = connection.writable.getWriter();
  const reader = connection.readable.getReader();
  try {
    // Not awaited: a peer may answer or close before it has read the request, and the reading side tells which.
    writer.write(writeRequest(question)).catch(() => undefined);
    return await readAnswer(reader, question, deadline, onFirstByte);
  } finally {
    // The writer is left to `close` of the socket: after its `abort` workerd keeps the connection, and the object with it.
    reader.cancel().catch(() => undefined);
  }
};

async function readAnswer(
  source: ReadableStreamDefaultReader<Uint8Array>,
  question: Question,
  deadline: Deadline,
  onFirstByte: () => void,
): Promise<Answer> {
  const response = new ResponseReader(question.expectation.body);
  let octets = 0;
  for (;;) {
    const next = await deadline.race(source.read().catch((): typeof LOST => LOST));
    if (next === LOST) return answer("ConnectionReset", `The connection was reset ${progress(response, octets)}.`);
    if (next === EXPIRED) return timeout(response, octets, question.timeoutMs);
    if (next.done) response.end();
    else {
      if (octets === 0) onFirstByte();
      octets += next.value.length;
      response.push(next.value);
    }
    const outcome = judge(response, question.expectation);
    if (outcome !== undefined) return outcome;
  }
}

function timeout(response: ResponseReader, octets: number, timeoutMs: number): Answer {
  const message = `The time of ${timeoutMs} ms was over ${progress(response, octets)}.`;
  return answer("ResponseTimeout", message, response.status);
}

function progress(response: ResponseReader, octets: number): string {
  if (octets === 0) return "before any answer came";
  return response.status === undefined ? "before the headers were complete" : "before the body was complete";
}
