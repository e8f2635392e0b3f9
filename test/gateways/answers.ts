import type { Behaviour } from "./gateway.ts";
import { afterRequest } from "./gateway.ts";

/** Answers with these octets and keeps the connection open. */
export function says(octets: string): Behaviour {
  return afterRequest((socket) => socket.write(octets));
}

/** Answers with these octets and closes. */
export function saysAndCloses(octets: string): Behaviour {
  return afterRequest((socket) => socket.end(octets));
}

/** A plain good answer, whose body is `ok`; the connection stays open. */
export const good = says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");

/** HTTP/1.0, whose body ends with the connection. */
export const http10 = saysAndCloses("HTTP/1.0 200 OK\r\n\r\nok");

/** A body without a length, ended by closing. */
export const closeDelimited = saysAndCloses("HTTP/1.1 200 OK\r\n\r\nok");

/** Chunked coding with an extension and a trailer; the connection stays open. */
export const chunked = says(
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=y\r\no\r\n1\r\nk\r\n0\r\nExpires: 0\r\n\r\n",
);

/** A body of 230 octets with its length; the connection stays open. */
export const heldOpen = says(`HTTP/1.1 200 OK\r\nContent-Length: 230\r\n\r\n${"x".repeat(230)}`);

/** No content; the connection stays open. */
export const noContent = says("HTTP/1.1 204 No Content\r\n\r\n");

/** 100, 103 and 103 before the 200. */
export const interimFirst = says(
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n" +
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
);

/** Sends the client elsewhere. */
export function redirect(location: string): Behaviour {
  return says(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`);
}

/** Status by the `region=` in the User-Agent, 200 for those not named. */
export function byRegion(statuses: Readonly<Record<string, number>>): Behaviour {
  return afterRequest((socket, request) => {
    const region = /^user-agent:.*region=([a-z-]+)/im.exec(request)?.[1] ?? "";
    socket.write(`HTTP/1.1 ${statuses[region] ?? 200} By Region\r\nContent-Length: 0\r\n\r\n`);
  });
}

/** 200 for one Host (with its port, if it is sent), 404 for every other. */
export function byHost(host: string): Behaviour {
  return afterRequest((socket, request) => {
    const asked = /^host: *(.*?) *$/im.exec(request)?.[1];
    socket.write(`HTTP/1.1 ${asked === host ? "200 OK" : "404 Not Found"}\r\nContent-Length: 0\r\n\r\n`);
  });
}
