/** A client pings every few seconds. A client that was silent this long is gone, or its page is asleep. */
const SILENT_MS = 120_000;
/**
 * A client that was sent this much since its last ping is dropped. No API tells whether a socket is read, and unread
 * messages stay in the memory of the object, which has 128 MB. A storm that changes 300 records a second sends a
 * quarter of this between two pings.
 */
const MAX_UNREAD_CHARACTERS = 8_000_000;
/** Maximum age of a connection. The session that opened the stream may have ended, so access is checked again. */
const OLD_MS = 12 * 3_600_000;

/** Stored with a socket while the object sleeps. */
interface Attachment {
  /** Id of the last event that was sent. */
  after: number;
  openedAt: number;
  /** Characters sent since the ping at that time. */
  unread?: { pingedAt: number; characters: number };
}

/**
 * The open sockets of a coordinator. They outlive its memory (hibernation), and the platform answers pings without
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

  /** Accepts the object's end of a new socket. Returns both ends. */
  accept(after: number, nowMs: number): { client: WebSocket; socket: WebSocket } {
    const [client, socket] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    this.#ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    this.#ctx.acceptWebSocket(socket);
    socket.serializeAttachment({ after, openedAt: nowMs } satisfies Attachment);
    return { client, socket };
  }

  /** All open sockets, by the id of the last event that they were sent. */
  byLastEvent(): Map<number, WebSocket[]> {
    return Map.groupBy(this.#open(), (socket) => attachmentOf(socket).after);
  }

  /** Sends the messages in order and stores the id of their last event. A broken socket is dropped. */
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

  /** Drops sockets that have not pinged for long, since unread messages would pile up, and very old sockets. */
  dropStale(nowMs: number): void {
    for (const socket of this.#open()) {
      const pingedAt = this.#pingedAt(socket);
      const { openedAt } = attachmentOf(socket);
      if (nowMs - Math.max(pingedAt, openedAt) > SILENT_MS) close(socket, 1008, `no ping for ${SILENT_MS / 1_000} s`);
      else if (nowMs - openedAt > OLD_MS) close(socket, 1001, "open for long: open it again");
    }
  }

  /** Time of the last ping, Unix ms; 0 if there was none. */
  #pingedAt(socket: WebSocket): number {
    return this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
  }

  #open(): WebSocket[] {
    return this.#ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
  }
}

/** Closes a socket. If that fails, the platform cleans it up. */
export function close(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // It is closed already.
  }
}

const attachmentOf = (socket: WebSocket): Attachment => socket.deserializeAttachment();
