import { request } from "node:http";
import type { Event } from "../../../shared/model/event.ts";
import { type LiveMessage, liveMessage } from "../../../shared/model/overview.ts";

/** One connection to the edge's stream over a real socket, and all that came over it. */
export class LiveClient {
  readonly messages: LiveMessage[] = [];
  readonly answers: string[] = [];
  isClosed = false;
  readonly #socket: WebSocket;

  constructor(edgeUrl: string, after?: number) {
    const query = after === undefined ? "" : `?after=${after}`;
    this.#socket = new WebSocket(`${edgeUrl.replace(/^http/, "ws")}/v1/live${query}`);
    this.#socket.addEventListener("message", ({ data }) => this.#take(String(data)));
    this.#socket.addEventListener("close", () => {
      this.isClosed = true;
    });
  }

  #take(text: string): void {
    if (text.startsWith("{")) this.messages.push(liveMessage.parse(JSON.parse(text)));
    else this.answers.push(text);
  }

  get events(): Event[] {
    return this.messages.flatMap(({ events }) => events);
  }

  get lastEventId(): number {
    return this.messages.at(-1)?.lastEventId ?? 0;
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  close(): void {
    this.#socket.close();
  }
}

/** The status of the answer to an upgrade, as a browser on a page of this origin would ask for it. */
export function upgradeFrom(edgeUrl: string, origin: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = {
    origin,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const asked = request(`${edgeUrl}/v1/live`, { headers });
  asked.on("upgrade", (_, socket) => {
    socket.destroy();
    resolve(101);
  });
  asked.on("response", (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  asked.on("error", reject);
  asked.end();
  return promise;
}
