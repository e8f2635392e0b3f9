import type { IncomingMessage, ServerResponse } from "node:http";
import { textOf } from "./text-of.ts";

/** How a receiver of notifications answers: a status, with `retry-after` where one is given; never; or by closing the connection. */
export type NotifiedAnswer = { status: number; retryAfter?: string } | "hang" | "close";

/** A notification as it came. */
export type Notified = { headers: Record<string, string>; body: unknown; text: string };

type State = { answers: NotifiedAnswer[]; received: Notified[] };

/**
 * Receivers of notifications, one for each name. `/notify/<name>` receives one and returns the next scripted answer, or 200.
 * `/notified/<name>` returns what came (GET) and scripts answers (PUT).
 */
export class NotifiedReceivers {
  readonly #states = new Map<string, State>();

  async notify(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([key, value]) => [key, String(value)]));
    const { answers, received } = this.#stateOf(name);
    received.push({ headers, body: JSON.parse(text), text });
    const answer = answers.shift() ?? { status: 200 };
    if (answer === "hang") return;
    if (answer === "close") {
      response.destroy();
      return;
    }
    if (answer.retryAfter !== undefined) response.setHeader("retry-after", answer.retryAfter);
    response.writeHead(answer.status).end("thank you");
  }

  async notified(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const state = this.#stateOf(name);
    if (request.method === "PUT") state.answers = JSON.parse(await textOf(request)) as NotifiedAnswer[];
    response.setHeader("content-type", "application/json").end(JSON.stringify(state.received));
  }

  #stateOf(name: string): State {
    const state = this.#states.get(name) ?? { answers: [], received: [] };
    this.#states.set(name, state);
    return state;
  }
}
