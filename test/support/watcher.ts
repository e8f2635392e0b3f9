import { expect, vi } from "vitest";
import type { Event } from "../../shared/model/event.ts";
import { type LiveMessage, liveMessage } from "../../shared/model/overview.ts";

/** A client of the stream that keeps all messages. */
export class Watcher {
  readonly messages: LiveMessage[] = [];
  readonly texts: string[] = [];
  closed: { code: number; reason: string } | undefined;
  readonly socket: WebSocket;

  /** Of the answer to an upgrade. */
  constructor({ webSocket }: Response) {
    if (!webSocket) throw new Error("the upgrade was refused");
    this.socket = webSocket;
    webSocket.accept();
    webSocket.addEventListener("message", ({ data }) => this.#take(String(data)));
    webSocket.addEventListener("close", ({ code, reason }) => {
      this.closed = { code, reason };
    });
  }

  #take(text: string): void {
    this.texts.push(text);
    if (text.startsWith("{")) this.messages.push(liveMessage.parse(JSON.parse(text)));
  }

  get events(): Event[] {
    return this.messages.flatMap(({ events }) => events);
  }

  get hosts(): string[] {
    return this.messages.flatMap(({ records }) => records.map(({ rootHost }) => rootHost));
  }

  get lastEventId(): number {
    return this.messages.at(-1)?.lastEventId ?? 0;
  }

  async until(isThere: (watcher: Watcher) => boolean): Promise<void> {
    await vi.waitFor(() => expect(isThere(this)).toBe(true), { timeout: 20_000, interval: 10 });
  }
}
