import { randomUUID } from "node:crypto";
import { z } from "zod";
import { condition } from "../../shared/model/condition.ts";
import { formatFieldError } from "../../shared/model/field-error.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import { problem } from "../../shared/model/problem.ts";
import { formatNumber } from "../../shared/number.ts";
import { signatureHeaders } from "../../shared/signature.ts";
import { type Answer, call } from "../runtime/http-client.ts";

const DEADLINE_MS = 30_000;

const receipt = z.object({
  etag: z.string(),
  records: z.array(z.object({ line: z.int(), conditions: z.array(condition) })),
  conditions: z.array(condition).optional(),
  delivery: z.unknown().optional(),
});
export type Receipt = z.output<typeof receipt>;

/** A call that came to nothing; with the time that the edge wants to be left alone, in milliseconds, where it says one. */
export type Failed = { kind: "Failed"; message: string; retryAfterMs?: number };

/** What became of a snapshot. `Overtaken`: the edge holds another than we named, with this tag (none: it holds none). */
export type PushResult =
  | { kind: "Taken"; receipt: Receipt; etag: string }
  | { kind: "Overtaken"; etag: string | undefined; message: string }
  | Failed;

/** The edge's records as they are just now, not yet read. */
export type ViewResult = { kind: "View"; view: unknown } | Failed;

export type PullResult = { kind: "Delivery"; delivery: unknown } | Failed;

export interface EdgeClientOptions {
  edgeUrl: string;
  cluster: string;
  /** The first signs. */
  secrets: readonly string[];
  /** Unix ms */
  now: () => number;
  deadlineMs?: number;
}

/** Calls the edge. Every call is signed, has a deadline, and answers with a value; `close` cancels those under way. */
export class EdgeClient {
  readonly #options: EdgeClientOptions;
  readonly #closing = new AbortController();
  #lastPush = { text: "", id: "" };

  constructor(options: EdgeClientOptions) {
    this.#options = options;
  }

  /** Pushes a snapshot (NDJSON). A repetition of the same text keeps its message id. */
  async push(text: string, ifMatch: string | undefined): Promise<PushResult> {
    if (this.#lastPush.text !== text) this.#lastPush = { text, id: `snapshot_${randomUUID()}` };
    const url = this.#url("snapshot");
    const headers = {
      ...this.#sign(this.#lastPush.id, text),
      "content-type": "application/x-ndjson",
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
    };
    try {
      const answer = await this.#call({ method: "PUT", url: url.href, headers, body: text });
      return readPush(answer);
    } catch (error) {
      return { kind: "Failed", message: (error as Error).message };
    }
  }

  /** Asks for the delivery newer than `after`. What is signed is the request target, since there is no body. */
  async pull(after: MessageNumber): Promise<PullResult> {
    const url = this.#url("delivery");
    url.searchParams.set("after", formatNumber(after));
    const read = await this.#read("pull", url);
    return "json" in read ? { kind: "Delivery", delivery: read.json } : { kind: "Failed", ...read };
  }

  /** Asks for the records as the edge sees them just now, to show check times and counts: it numbers no delivery. */
  async readRecords(): Promise<ViewResult> {
    const read = await this.#read("view", this.#url("records"));
    return "json" in read ? { kind: "View", view: read.json } : { kind: "Failed", ...read };
  }

  close(): void {
    this.#closing.abort();
  }

  async #read(what: string, url: URL): Promise<{ json: unknown } | Omit<Failed, "kind">> {
    const headers = this.#sign(`${what}_${randomUUID()}`, url.pathname + url.search);
    try {
      const answer = await this.#call({ method: "GET", url: url.href, headers });
      return answer.status === 200 ? { json: JSON.parse(answer.body) } : failureOf(answer);
    } catch (error) {
      return { message: (error as Error).message };
    }
  }

  #url(what: string): URL {
    const { edgeUrl, cluster } = this.#options;
    return new URL(`${edgeUrl.replace(/\/+$/, "")}/v1/clusters/${encodeURIComponent(cluster)}/${what}`);
  }

  #sign(id: string, text: string): Record<string, string> {
    return signatureHeaders(this.#options.secrets[0] ?? "", id, text, this.#options.now());
  }

  #call(request: Parameters<typeof call>[0]): Promise<Answer> {
    return call(request, this.#options.deadlineMs ?? DEADLINE_MS, this.#closing.signal);
  }
}

function readPush(answer: Answer): PushResult {
  if (answer.status === 412 || answer.status === 428) {
    return { kind: "Overtaken", etag: answer.etag, message: problemText(answer) };
  }
  if (answer.status !== 200) return { kind: "Failed", ...failureOf(answer) };
  const read = receipt.safeParse(JSON.parse(answer.body));
  if (!read.success) return { kind: "Failed", message: "the edge's answer to the snapshot could not be read" };
  return { kind: "Taken", receipt: read.data, etag: answer.etag ?? read.data.etag };
}

function failureOf(answer: Answer): Omit<Failed, "kind"> {
  const { retryAfterMs } = answer;
  return { message: problemText(answer), ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** What a problem document (RFC 9457) says, or the status where there is none. */
function problemText({ status, body }: Answer): string {
  try {
    const { title, detail, errors = [] } = problem.parse(JSON.parse(body));
    return [`${status} ${title}`, detail, ...errors.map(formatFieldError)]
      .filter((part) => part !== undefined)
      .join(": ");
  } catch {
    return `the edge answered ${status}`;
  }
}
