import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type SignedRequest, signatureFault, signatureHeaders } from "../../../shared/signature.ts";
import { type DecodedSnapshot, decodeSnapshot } from "../../../shared/snapshot.ts";

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

export type Snapshot = Extract<DecodedSnapshot, { ok: true }>;

/** What the fake edge does with the next requests; everything may be changed while it runs. */
export interface Behaviour {
  /** Answers a snapshot with this status and a problem document instead of taking it. */
  refuseWith: number | undefined;
  /** Takes requests and never answers. */
  hang: boolean;
  /** Records that are refused, by key. */
  refused: string[];
  /** The delivery in the answer to a snapshot and to an agent that asks. */
  delivery: unknown;
}

/** An edge over real HTTP: checks signatures and tags, takes snapshots, and calls the agent. */
export class FakeEdge {
  readonly behaviour: Behaviour = { refuseWith: undefined, hang: false, refused: [], delivery: undefined };
  readonly snapshots: Snapshot[] = [];
  /** Every request, as `method path status`. */
  readonly requests: string[] = [];
  etag: string | undefined;
  readonly #server: Server;
  #waiting: (() => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port = 0): Promise<FakeEdge> {
    const server = createServer((request, response) => void edge.#answer(request, response));
    const edge = new FakeEdge(server);
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return edge;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** Resolves once the condition holds; looked at after each request. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Calls the agent's webhook; `change` can spoil the request after signing. */
  async deliver(
    agentPort: number,
    delivery: unknown,
    change: (request: Delivered) => void = () => {},
  ): Promise<Response> {
    const body = JSON.stringify(delivery);
    const request: Delivered = { secret: SECRET, signedAtMs: Date.now(), path: "/v1/delivery", body, headers: {} };
    request.headers = signatureHeaders(request.secret, randomUUID(), body, request.signedAtMs);
    change(request);
    const { path, headers } = request;
    // An agent that is idle ends its connections, at times just as one is used again.
    const once = { ...headers, connection: "close" };
    return fetch(`http://127.0.0.1:${agentPort}${path}`, { method: "POST", headers: once, body: request.body });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await request.toArray()).join("");
    const status = this.behaviour.hang ? undefined : this.#handle(request, body, response);
    this.requests.push(`${request.method} ${request.url} ${status ?? "hangs"}`);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #handle(request: IncomingMessage, body: string, response: ServerResponse): number {
    const answer = (status: number, json: unknown) => {
      if (this.etag !== undefined) response.setHeader("etag", this.etag);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
      return status;
    };
    const problem = (status: number, title: string) => answer(status, { type: "about:blank", title, status });
    if (signatureFault(signedBy(request, body || (request.url ?? "")), [SECRET], Date.now()) !== undefined)
      return problem(401, "SignatureInvalid");
    if (this.behaviour.refuseWith !== undefined) return problem(this.behaviour.refuseWith, "Refused");
    if (request.method === "GET") return answer(200, this.behaviour.delivery);
    const ifMatch = request.headers["if-match"];
    if (ifMatch === undefined && this.etag !== undefined) return problem(428, "SnapshotTagMissing");
    if (ifMatch !== undefined && ifMatch !== this.etag) return problem(412, "SnapshotOvertaken");
    return this.#take(body, answer);
  }

  #take(body: string, answer: (status: number, json: unknown) => number): number {
    const snapshot = decodeSnapshot(body);
    if (!snapshot.ok) return answer(400, { type: "about:blank", title: "Bad", status: 400, errors: snapshot.errors });
    this.snapshots.push(snapshot);
    this.etag = `"${this.snapshots.length}"`;
    const records = snapshot.lines.map(({ line, key }) => ({
      line,
      record: key,
      conditions: [
        key !== undefined && this.behaviour.refused.includes(key)
          ? { type: "Accepted", status: "False", reason: "HostNotAllowed", message: "The host is not allowed." }
          : { type: "Accepted", status: "True", reason: "Accepted", message: "" },
      ],
    }));
    const { delivery } = this.behaviour;
    return answer(200, { version: 1, etag: this.etag, records, ...(delivery !== undefined && { delivery }) });
  }
}

export interface Delivered {
  secret: string;
  signedAtMs: number;
  path: string;
  body: string;
  headers: Record<string, string>;
}

function signedBy(request: IncomingMessage, body: string): SignedRequest {
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    webhookId: header("webhook-id"),
    webhookTimestamp: header("webhook-timestamp"),
    webhookSignature: header("webhook-signature"),
    body,
  };
}
