import type { Behaviour } from "./gateway.ts";

/** Acts when the first octets of a ClientHello have come. */
function atHello(act: (socket: Parameters<Behaviour>[0]) => void): Behaviour {
  return (socket) => socket.once("data", () => act(socket));
}

/** The beginning of a record that announces 122 octets of handshake. */
const HALF_A_RECORD = Buffer.from("160303007a0200", "hex");
const alert = (description: number, level = 2) => Buffer.from([0x15, 3, 3, 0, 2, level, description]);

/** What an HTTP server does that is asked in TLS. */
export const answersInClear = atHello((socket) => socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"));

/** Another protocol, in clear. */
export const speaksSsh = atHello((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"));

/** What a server does that has no certificate for the name. */
export const closesAtHello = atHello((socket) => socket.end());
export const resetsAtHello = atHello((socket) => socket.resetAndDestroy());

/** Breaks off, or goes silent, within its own hello. */
export const breaksOffHello = atHello((socket) => socket.end(HALF_A_RECORD));
export const stallsInHello = atHello((socket) => socket.write(HALF_A_RECORD));

/** Alerts: the first says that all is well and over. */
export const takesLeave = atHello((socket) => socket.end(alert(0, 1)));
export const refusesHello = atHello((socket) => socket.end(alert(40)));
export const refusesVersion = atHello((socket) => socket.end(alert(70)));
export const refusesName = atHello((socket) => socket.end(alert(112)));
