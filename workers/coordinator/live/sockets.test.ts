import { describe, expect, it } from "vitest";
import { Sockets } from "./sockets.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW = 100 * HOUR_MS;

/** An open socket as the platform gives it back, and what it is closed with. */
function opened(openedAt: number, pingedAt?: number) {
  const closed: unknown[] = [];
  const socket = {
    readyState: WebSocket.OPEN,
    deserializeAttachment: () => ({ after: 3, openedAt }),
    close: (code: number) => closed.push(code),
  };
  return { socket, closed, pingedAt };
}

function socketsOf(all: ReturnType<typeof opened>[]): Sockets {
  const pings = new Map(all.map(({ socket, pingedAt }) => [socket, pingedAt]));
  const ctx = {
    getWebSockets: () => all.map(({ socket }) => socket),
    getWebSocketAutoResponseTimestamp: (socket: ReturnType<typeof opened>["socket"]) => {
      const pingedAt = pings.get(socket);
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
