import { answer } from "../question.ts";
import type { Ask } from "./ask.ts";

/** TCP: a connection that opens within the deadline is ok; nothing is sent or read. */
export const askTcp: Ask = async () => answer("Ok");
