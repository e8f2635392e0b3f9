import type { Deadline } from "../deadline.ts";
import type { Connection } from "../dial.ts";
import type { Answer, Question } from "../question.ts";

/** Asks over a connection that is open, and says how it went. The caller closes the connection. */
export type Ask = (
  connection: Connection,
  question: Question,
  deadline: Deadline,
  /** To be called when the peer's first byte comes. */
  onFirstByte: () => void,
) => Promise<Answer>;
