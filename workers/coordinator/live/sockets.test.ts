import { describe, expect, it } from "vitest";
import { Sockets } from "./sockets.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW = 100 * HOUR_MS;

/** An open socket as the platform gives it back, and what it is closed with. */
function opened(openedAt: number, pingedAt?: number) {
  const closed: unknown[] = [];
  let attachment: unknown = { after: 3, openedAt };
  const socket = {
    readyState: WebSocket.OPEN,
    deserializeAttachment: () => attachment,
    serializeAttachment: (given: unknown) => {
      attachment = given;
    },
    send: () => {},
    close: (code: number) => closed.push(code),
  };
  return { socket, closed, pingedAt };
}

function socketsOf(all: ReturnType<typeof opened>[]): Sockets {
  const ctx = {
    getWebSockets: () => all.map(({ socket }) => socket),
    getWebSocketAutoResponseTimestamp: (socket: ReturnType<typeof opened>["socket"]) => {
      const pingedAt = all.find((one) => one.socket === socket)?.pingedAt;
      return pingedAt === undefined ? null : new Date(pingedAt);
    },
  };
  return new Sockets(ctx as unknown as DurableObjectState);
}

describe("a socket", () => {
  it.each([
    ["that has just been opened stays", opened(NOW - MINUTE_MS), []],
    ["that pings stays", opened(NOW - HOUR_MS, NOW - MINUTE_MS), []],
    ["that never pinged goes", opened(NOW - 3 * MINUTE_MS), [1008]],
    ["that has long stopped pinging goes", opened(NOW - HOUR_MS, NOW - 3 * MINUTE_MS), [1008]],
    ["that is older than a session should be goes, though it pings", opened(NOW - 13 * HOUR_MS, NOW), [1001]],
  ])("%s", (_, one, expected) => {
    socketsOf([one]).dropStale(NOW);
    expect(one.closed).toEqual(expected);
  });

  it("that is sent more and more without a ping goes, before what it does not read fills the memory", () => {
    const one = opened(NOW, NOW);
    const sockets = socketsOf([one]);
    const socket = one.socket as unknown as WebSocket;
    const message = "x".repeat(1_000_000);
    for (let second = 0; second < 30; second += 1) {
      if (second % 4 === 0) one.pingedAt = NOW + second;
      sockets.send(socket, [message, message], 4);
    }
    expect(one.closed).toEqual([]);
    for (let second = 0; second < 6; second += 1) sockets.send(socket, [message, message], 4);
    expect(one.closed[0]).toBe(1013);
  });

  it("that cannot even be closed stops nobody", () => {
    const broken = opened(0);
    broken.socket.close = () => {
      throw new Error("broken");
    };
    const old = opened(0);
    socketsOf([broken, old]).dropStale(NOW);
    expect(old.closed).toEqual([1008]);
  });
});
