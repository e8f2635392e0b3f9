import type { Behaviour } from "./gateway.ts";
import { afterRequest } from "./gateway.ts";

/** A gateway with scripted answers. It records when each name was requested (Unix ms, by the Host header). */
export interface Switched {
  status: number;
  asked: Record<string, number[]>;
}

export function switched(state: Switched): Behaviour {
  return afterRequest((socket, request) => {
    const host = /^host: *([^\r:]*)/im.exec(request)?.[1] ?? "";
    const times = state.asked[host] ?? [];
    state.asked[host] = [...times, Date.now()];
    socket.write(`HTTP/1.1 ${state.status} As Told\r\nContent-Length: 0\r\n\r\n`);
  });
}
