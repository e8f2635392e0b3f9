import type { z } from "zod";
import { CliError, EXIT } from "../exit-code.ts";
import type { Access } from "./access.ts";
import { expectDone, read, readText } from "./answer.ts";

const LIMIT_MS = 15_000;

type Call = { method?: string; body?: object | string; limitMs?: number; signal?: AbortSignal | undefined };

/** The client of the edge's API (docs/design/interfaces.md). Every failure is a `CliError`. */
export class EdgeClient {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async get<Schema extends z.ZodType>(path: string, schema: Schema, signal?: AbortSignal): Promise<z.output<Schema>> {
    return this.#understood(this.#call(path, { signal }), (response) => read(response, schema));
  }

  /** @param limitMs how long the answer may take */
  async post<Schema extends z.ZodType>(
    path: string,
    body: object,
    schema: Schema,
    limitMs = LIMIT_MS,
  ): Promise<z.output<Schema>> {
    return this.#understood(this.#call(path, { method: "POST", body, limitMs }), (response) => read(response, schema));
  }

  /** Returns the body as text, for routes that do not answer JSON. */
  async getText(path: string, limitMs = LIMIT_MS): Promise<string> {
    return this.#understood(this.#call(path, { limitMs }), readText);
  }

  /** @param lines NDJSON */
  async postLines<Schema extends z.ZodType>(
    path: string,
    lines: string,
    schema: Schema,
    limitMs = LIMIT_MS,
  ): Promise<z.output<Schema>> {
    const call = this.#call(path, { method: "POST", body: lines, limitMs });
    return this.#understood(call, (response) => read(response, schema));
  }

  /** For a request whose response has no body. */
  async change(method: "POST" | "DELETE", path: string): Promise<void> {
    await this.#understood(this.#call(path, { method }), expectDone);
  }

  /** Redirects are not followed, because the token is for this edge only. */
  async #call(path: string, { method = "GET", body, limitMs = LIMIT_MS, signal }: Call): Promise<Response> {
    const { url, token } = this.#access;
    const timeout = AbortSignal.timeout(limitMs);
    const isText = typeof body === "string";
    return fetch(new URL(path, url), {
      method,
      headers: {
        accept: "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": isText ? "application/x-ndjson" : "application/json" }),
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  }

  async #understood<Value>(call: Promise<Response>, by: (response: Response) => Promise<Value>): Promise<Value> {
    try {
      return await by(await call);
    } catch (error) {
      if (error instanceof CliError) throw error;
      const { origin } = this.#access.url;
      const next = "Is it running, and is that its URL? Give it with --edge or VEDETTE_EDGE.";
      throw new CliError(EXIT.Unreachable, `The edge at ${origin} cannot be reached: ${causeOf(error)}.`, next);
    }
  }
}

/** Node hides the cause behind a `TypeError: fetch failed`. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "it does not answer in time";
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return "code" in cause ? `${cause.code}` : cause.message;
}
