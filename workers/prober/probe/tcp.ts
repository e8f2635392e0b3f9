import { answer } from "./probe-request.ts";
import type { Ask } from "./protocol-probe.ts";

/** TCP: a connection that opens within the deadline is ok; nothing is sent or read. */
export const askTcp: Ask = async () => answer("Ok");
