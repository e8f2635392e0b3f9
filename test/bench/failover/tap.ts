import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Delivery } from "../../../shared/model/messages/delivery.ts";
import type { RecordStatus } from "../../../shared/model/status.ts";

/** A decision as it came to the agent's door; Unix ms. */
export interface Told {
  record: RecordStatus;
  decidedAt: number;
  deliveredAt: number;
}

interface Waiter {
  rootHost: string;
  isIt: (record: RecordStatus) => boolean;
  tell: (told: Told) => void;
}

/** Stands before the agent's webhook, hands each delivery on as it came, and notes when. */
export class Tap {
  readonly #agentUrl: string;
  readonly #newest = new Map<string, Told>();
  readonly #server: Server = createServer((request, response) => this.#take(request, response));
  #waiters: Waiter[] = [];

  constructor(agentUrl: string) {
    this.#agentUrl = agentUrl;
  }

  async listen(host: string, port: number): Promise<void> {
    this.#server.listen(port, host);
    await once(this.#server, "listening");
  }

  newest(rootHost: string): Told | undefined {
    return this.#newest.get(rootHost);
  }

  /** The first delivery from now on that holds such a record, or the newest one if it does; undefined when time is over. */
  async told(rootHost: string, isIt: Waiter["isIt"], limitMs: number): Promise<Told | undefined> {
    const newest = this.#newest.get(rootHost);
    if (newest !== undefined && isIt(newest.record)) return newest;
    const { promise, resolve } = Promise.withResolvers<Told | undefined>();
    const waiter: Waiter = { rootHost, isIt, tell: resolve };
    this.#waiters.push(waiter);
    const timer = setTimeout(resolve, limitMs, undefined);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiters = this.#waiters.filter((other) => other !== waiter);
    }
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const at = Date.now();
      const answering = fetch(`${this.#agentUrl}${request.url}`, {
        method: "POST",
        headers: endToEnd(request.headers),
        body,
      });
      this.#note(JSON.parse(body.toString()) as Delivery, at);
      const answer = await answering;
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
      response.end(await answer.text());
    } catch {
      response.writeHead(502).end();
    }
  }

  #note(delivery: Delivery, at: number): void {
    if (delivery.kind === "Contact") return;
    for (const record of delivery.records) {
      const told = { record, decidedAt: record.decidedAt, deliveredAt: at };
      this.#newest.set(record.rootHost, told);
      for (const waiter of this.#waiters) {
        if (waiter.rootHost === record.rootHost && waiter.isIt(record)) waiter.tell(told);
      }
    }
  }
}

/** The headers that are meant for the agent and not for this connection. */
function endToEnd(headers: IncomingHttpHeaders): Record<string, string> {
  const own = ["connection", "host", "content-length", "transfer-encoding", "keep-alive", "expect"];
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      own.includes(name) || typeof value !== "string" ? [] : [[name, value]],
    ),
  );
}
