import { type ProtocolProbe, protocolResult } from "./probe-request.ts";
/** TCP: a connection that opens within the deadline is ok; nothing is sent or read. */
export const probeTcp: ProtocolProbe = async () => protocolResult("Ok");
