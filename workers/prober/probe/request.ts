import { DEFAULT_PORT } from "../../../shared/model/protocol.ts";
import type { ProbeRequest } from "./probe-request.ts";

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
