const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Longer is not waited: an edge that is not heard of counts as silent some minutes later. */
const MOST_RETRY_AFTER_SECONDS = 60;

export interface Answer {
  status: number;
  etag: string | undefined;
  /** How long the edge wants to be left alone (`Retry-After`), in milliseconds; undefined where it says nothing of it. */
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
 * One HTTP request. The deadline covers all of it, from the name lookup to the last byte of the answer; redirects are not
 * followed. Rejects with an error that says what failed, and nothing of what was sent.
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

/** Seconds only: a date would be read by our clock, and the edge sends none. */
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

/** `fetch failed` says nothing; the innermost cause does (`connect ECONNREFUSED 127.0.0.1:8787`). */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return inner instanceof Error ? causeOf(inner) : error.message;
}
