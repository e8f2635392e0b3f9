import { createHash } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import type { RequestOptions } from "node:https";
import { HttpMethod, type KubeConfig, RequestContext } from "@kubernetes/client-node";
import { type CallName, errorFromFailure, errorFromResponse, KubeError } from "./errors.ts";
import { FIELD_MANAGER } from "./object.ts";

type Dispatcher = NonNullable<ReturnType<RequestContext["getDispatcher"]>>;
type Answer = Awaited<ReturnType<Dispatcher["request"]>>;

export interface Call extends CallName {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query on the API server. */
  path: string;
  body?: unknown;
  contentType?: string;
  /** Aborts the call, for example at a deadline. */
  signal: AbortSignal;
}

/**
 * HTTP to the API server, with every kind of authentication that client-node supports.
 *
 * client-node makes a new dispatcher for each request, so it never reuses a connection. This class keeps one dispatcher
 * while certificates and CA are unchanged. It asks for the token at each request.
 */
export class Connection {
  readonly #config: KubeConfig;
  #dispatcher: Dispatcher | undefined;
  #madeFor: string | undefined;

  constructor(config: KubeConfig) {
    this.#config = config;
  }

  /**
   * Returns the response once its status is known. The caller must read the body or destroy it.
   *
   * @throws KubeError for every response other than 2xx, and if no response came
   */
  async open(call: Call): Promise<Answer> {
    const answer = await this.#send(call).catch((error: unknown) => {
      throw errorFromFailure(call, error);
    });
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
    const text = await answer.body.text().catch(() => "");
    throw errorFromResponse(call, {
      code: answer.statusCode,
      text,
      contentType: header(answer, "content-type"),
      retryAfter: header(answer, "retry-after"),
    });
  }

  /** @throws KubeError as `open` does, and if the body is incomplete or is not JSON */
  async json(call: Call): Promise<{ statusCode: number; body: unknown }> {
    const answer = await this.open(call);
    const text = await answer.body.text().catch((error: unknown) => {
      throw errorFromFailure(call, error);
    });
    try {
      return { statusCode: answer.statusCode, body: JSON.parse(text) };
    } catch {
      const type = header(answer, "content-type") || "of no type";
      const message = `the answer is no JSON but ${type}: does a proxy answer for the API server?`;
      throw new KubeError(call, { code: 0, reason: "NotJSON", message });
    }
  }

  async #send({ method, path, body, contentType, signal }: Call): Promise<Answer> {
    const cluster = this.#config.getCurrentCluster();
    if (!cluster) throw new Error("the configuration names no current cluster: set current-context");
    const url = new URL(cluster.server.replace(/\/+$/, "") + path);
    const { dispatcher, headers } = await this.#prepare(url);
    const options = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { ...headers, accept: "application/json", "user-agent": FIELD_MANAGER, ...typeOf(contentType) },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
      // The signal is the deadline. A watch may be quiet for longer than undici's default timeouts.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Each watch has its own connection, so that a dead connection affects no other call.
      allowH2: false,
    };
    return dispatcher.request(options);
  }

  async #prepare(url: URL): Promise<{ dispatcher: Dispatcher; headers: OutgoingHttpHeaders }> {
    const options: RequestOptions = {};
    await this.#config.applyToHTTPSOptions(options);
    const { headers, auth, ca, cert, key } = options;
    const hash = createHash("sha256");
    for (const part of [url.origin, ca, cert, key]) hash.update(`${part}\0`);
    const dispatcher = await this.#dispatcherFor(url, hash.digest("hex"));
    const basic = auth ? { Authorization: `Basic ${Buffer.from(auth).toString("base64")}` } : {};
    return { dispatcher, headers: { ...(headers as OutgoingHttpHeaders), ...basic } };
  }

  async #dispatcherFor(url: URL, identity: string): Promise<Dispatcher> {
    if (this.#dispatcher !== undefined && identity === this.#madeFor) return this.#dispatcher;
    const context = new RequestContext(url.toString(), HttpMethod.GET);
    await this.#config.applySecurityAuthentication(context);
    const fresh = context.getDispatcher();
    if (fresh === undefined) throw new Error("the cluster has no CA: load the configuration with loadKubeConfig");
    // Another call was faster and is about to use its dispatcher; closing that one would make the call fail.
    if (this.#dispatcher !== undefined && identity === this.#madeFor) {
      fresh.close().catch(() => {});
      return this.#dispatcher;
    }
    // Running calls finish on the old dispatcher.
    this.#dispatcher?.close().catch(() => {});
    this.#dispatcher = fresh;
    this.#madeFor = identity;
    return fresh;
  }
}

const typeOf = (contentType: string | undefined) => (contentType ? { "content-type": contentType } : {});

function header(answer: Answer, name: string): string {
  const value = answer.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? "";
}
