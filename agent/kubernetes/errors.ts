const MESSAGE_CHARS = 500;
const RETRYABLE = new Set([0, 401, 408, 429]);
const MOST_RETRY_AFTER_MS = 60_000;

/** The name of a call in its errors, such as `list gateways` or `apply dnsrecords shop/shop`. */
export interface CallName {
  verb: string;
  what: string;
}

interface Details {
  /** HTTP status; 0 if no response came, or one that is not the API server's. */
  code: number;
  /**
   * The API server's machine-readable reason, e.g. `NotFound`; else our own, e.g. `ECONNREFUSED`, `Timeout`, `NotJSON`.
   */
  reason: string;
  message: string;
  retryAfterMs?: number;
}

/** A failed call to the API server. The message names the call and never contains the request body. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  readonly code: number;
  readonly reason: string;
  /** The server's Retry-After in milliseconds, bounded. */
  readonly retryAfterMs: number | undefined;

  constructor({ verb, what }: CallName, { code, reason, message, retryAfterMs }: Details) {
    const said = message.length > MESSAGE_CHARS ? `${message.slice(0, MESSAGE_CHARS)}…` : message;
    super(`${code === 0 ? reason : `${code} ${reason}`}: ${verb} ${what}: ${said}`);
    this.code = code;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }

  /**
   * Whether the same call may succeed later without a change by a person. This includes 401, for credentials are
   * renewed.
   */
  get isRetryable(): boolean {
    return RETRYABLE.has(this.code) || this.code >= 500;
  }

  /** Whether the call failed because the namespace is being deleted, so that nothing can be created in it. */
  get isNamespaceEnding(): boolean {
    return this.code === 403 && this.message.includes("being terminated");
  }

  /** Whether the API server says that the object does not exist. An unknown path or a proxy's 404 does not count. */
  get isNotFound(): boolean {
    return this.code === 404 && this.reason === "NotFound";
  }
}

/** The error for a response other than 2xx. It quotes a Status of the API server, but not the page of a proxy. */
export function errorFromResponse(
  call: CallName,
  { code, text, contentType, retryAfter }: { code: number; text: string; contentType: string; retryAfter: string },
): KubeError {
  const seconds = Number.parseInt(retryAfter, 10);
  const wait = seconds > 0 ? { retryAfterMs: Math.min(seconds * 1000, MOST_RETRY_AFTER_MS) } : {};
  const status = statusOf(text);
  if (status) return new KubeError(call, { code, ...status, ...wait });
  const message = `the answer is ${contentType || "of no type"} instead of a Status: does a proxy answer for the API server?`;
  return new KubeError(call, { code, reason: "NoStatus", message, ...wait });
}

/** The error in an `ERROR` event of a watch. */
export function errorFromStatus(call: CallName, status: unknown): KubeError {
  const { code, reason, message } = (status ?? {}) as { code?: unknown; reason?: unknown; message?: unknown };
  return new KubeError(call, {
    code: typeof code === "number" ? code : 500,
    reason: typeof reason === "string" && reason !== "" ? reason : "Unknown",
    message: typeof message === "string" ? message : "the watch ended with an error that says nothing",
  });
}

/** The error of a call without a response, or with an incomplete one. */
export function errorFromFailure(call: CallName, error: unknown): KubeError {
  if (error instanceof KubeError) return error;
  const { name, code, message } = error as { name?: string; code?: unknown; message?: string };
  if (name === "TimeoutError") return new KubeError(call, { code: 0, reason: "Timeout", message: "no answer in time" });
  const reason = typeof code === "string" && code !== "" ? code : (name ?? "Error");
  return new KubeError(call, { code: 0, reason, message: message || "the connection failed" });
}

function statusOf(text: string): { reason: string; message: string } | undefined {
  try {
    const body = JSON.parse(text) as { kind?: unknown; reason?: unknown; message?: unknown } | null;
    if (body?.kind !== "Status") return undefined;
    return {
      reason: typeof body.reason === "string" && body.reason !== "" ? body.reason : "Unknown",
      message: typeof body.message === "string" ? body.message : "",
    };
  } catch {
    return undefined;
  }
}
