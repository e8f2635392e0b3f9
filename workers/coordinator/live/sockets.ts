/** A client pings every few seconds; one that has not for this long is gone, or its page is asleep. */
const SILENT_MS = 120_000;
/**
 * Whoever was sent so much since the last ping is dropped: nothing says whether a socket is read, and what is not stays in the
 * object's memory, which has 128 MB. A storm that changes 300 records a second sends a client that pings a quarter of it.
 */
const MAX_UNREAD_CHARACTERS = 8_000_000;
/** Nobody watches on for long after the session has ended that the stream was opened with: it has to be shown again. */
const OLD_MS = 12 * 3_600_000;

/** What is kept with a socket while the object sleeps. */
interface Attachment {
  /** Id of the last event that it was sent. */
  after: number;
  openedAt: number;
  /** What it was sent since the ping at that time, in characters. */
  unread?: { pingedAt: number; characters: number };
}

/**
 * The open sockets of a coordinator. They outlive its memory (the platform's hibernation), and pings are answered without
 * waking it: https://developers.cloudflare.com/durable-objects/best-practices/websockets/
 */
export class Sockets {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  get count(): number {
    return this.#open().length;
  }

  /** Takes the object's end of a socket; answers the other. */
  accept(after: number, nowMs: number): { client: WebSocket; socket: WebSocket } {
    const [client, socket] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    this.#ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    this.#ctx.acceptWebSocket(socket);
    socket.serializeAttachment({ after, openedAt: nowMs } satisfies Attachment);
    return { client, socket };
  }

  /** All that are open, by the id of the last event that they were sent. */
  byLastEvent(): Map<number, WebSocket[]> {
    return Map.groupBy(this.#open(), (socket) => attachmentOf(socket).after);
  }

  /** Sends the messages in their order and notes up to which event they go. A socket that is broken is dropped. */
  send(socket: WebSocket, messages: readonly string[], lastEventId: number): void {
    try {
      const attachment = attachmentOf(socket);
      const pingedAt = this.#pingedAt(socket);
      const before = attachment.unread?.pingedAt === pingedAt ? attachment.unread.characters : 0;
      if (before > MAX_UNREAD_CHARACTERS) {
        close(socket, 1013, "this connection does not read: open it again");
        return;
      }
      for (const message of messages) socket.send(message);
      const characters = messages.reduce((sum, { length }) => sum + length, before);
      socket.serializeAttachment({ ...attachment, after: lastEventId, unread: { pingedAt, characters } });
    } catch {
      close(socket, 1011, "the connection is broken");
    }
  }

  /** Drops those that have not pinged for long, since what is sent to them would only pile up, and the very old. */
  dropStale(nowMs: number): void {
    for (const socket of this.#open()) {
      const pingedAt = this.#pingedAt(socket);
      const { openedAt } = attachmentOf(socket);
      if (nowMs - Math.max(pingedAt, openedAt) > SILENT_MS) close(socket, 1008, `no ping for ${SILENT_MS / 1_000} s`);
      else if (nowMs - openedAt > OLD_MS) close(socket, 1001, "open for long: open it again");
    }
  }

  /** When it pinged last, Unix ms; 0 where it never did. */
  #pingedAt(socket: WebSocket): number {
    return this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
  }

  #open(): WebSocket[] {
    return this.#ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
  }
}

/** Closes a socket; one that cannot even be closed is the platform's to clear away. */
export function close(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // It is closed already.
  }
}

const attachmentOf = (socket: WebSocket): Attachment => socket.deserializeAttachment();
