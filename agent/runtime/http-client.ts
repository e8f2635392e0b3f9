const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** A longer delay is cut: an edge that is not heard counts as silent after some minutes. */
const MOST_RETRY_AFTER_SECONDS = 60;

export interface Answer {
  status: number;
  etag: string | undefined;
  /** The delay that the edge asks for (`Retry-After`), in milliseconds; undefined if it asks for none. */
  retryAfterMs: number | undefined;
  body: string;
}

export interface Request {
  method: "GET" | "PUT";
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/**
 * Sends one HTTP request. The deadline covers everything from the name lookup to the last byte of the answer. Redirects are not
 * followed. Rejects with an error that names the cause and contains nothing that was sent.
 */
export async function call(request: Request, deadlineMs: number, cancelled: AbortSignal): Promise<Answer> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  const signal = AbortSignal.any([deadline.signal, cancelled]);
  try {
    const response = await fetch(request.url, { ...request, redirect: "error", signal });
    const body = await readCapped(response);
    const { status, headers } = response;
    return {
      status,
      etag: headers.get("etag") ?? undefined,
      retryAfterMs: retryAfterMs(headers.get("retry-after")),
      body,
    };
  } catch (error) {
    if (deadline.signal.aborted) throw new Error(`the edge did not answer within ${deadlineMs} ms`);
    throw new Error(causeOf(error));
  } finally {
    clearTimeout(timer);
  }
}

/** Seconds only. A date would depend on our clock, and the edge sends none. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null || !/^\d{1,9}$/.test(header)) return undefined;
  return Math.min(Number(header), MOST_RETRY_AFTER_SECONDS) * 1000;
}

async function readCapped(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The innermost cause (`connect ECONNREFUSED 127.0.0.1:8787`): `fetch failed` alone does not help. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return inner instanceof Error ? causeOf(inner) : error.message;
}
