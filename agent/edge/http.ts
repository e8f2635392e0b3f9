const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export interface Answer {
  status: number;
  etag: string | undefined;
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
    return { status: response.status, etag: response.headers.get("etag") ?? undefined, body };
  } catch (error) {
    if (deadline.signal.aborted) throw new Error(`the edge did not answer within ${deadlineMs} ms`);
    throw new Error(causeOf(error));
  } finally {
    clearTimeout(timer);
  }
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
