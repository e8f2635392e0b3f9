import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";

/** What a request gets instead of the API server's answer. */
export type Fault =
  | { status: number; body: string; type: string }
  /** The true answer, cut off in the middle and the connection with it. */
  | "truncated"
  /** The first half of the true answer, ended as if it were all. */
  | "shortened"
  /** Never an answer. */
  | "hanging"
  /** The answer begins, and nothing follows. */
  | "silent"
  | "reset";

export interface Seen {
  isWatch: boolean;
  url: string;
}

/** A proxy in front of an API server that can inject wrong answers, and counts. */
export class FaultyProxy {
  readonly seen: Seen[] = [];
  faulted = 0;
  /** Chooses what goes wrong, request by request. */
  faultFor: (request: Seen) => Fault | undefined = () => undefined;
  /** Done before a request goes on to the API server. */
  beforeForward: (request: Seen) => Promise<void> = async () => {};
  readonly #target: KubeConfig;
  readonly #server = createServer((request, response) => void this.#handle(request, response));

  constructor(target: KubeConfig) {
    this.#target = target;
  }

  /** Starts it. Returns a configuration that leads through it. */
  async start(): Promise<KubeConfig> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const config = new KubeConfig();
    const server = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    const user = this.#target.getCurrentUser();
    if (!user) throw new Error("the target has no user");
    config.loadFromClusterAndUser({ name: "proxied", server, skipTLSVerify: true }, user);
    return config;
  }

  /** Breaks all that is under way. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? "";
    const seen = { url, isWatch: url.includes("watch=true") };
    this.seen.push(seen);
    const fault = this.faultFor(seen);
    if (fault !== undefined) this.faulted += 1;
    if (fault === "hanging") return;
    if (fault === "reset") return void response.destroy();
    if (fault === "silent") {
      response.writeHead(200, { "content-type": "application/json" });
      return response.flushHeaders();
    }
    if (typeof fault === "object") {
      response.writeHead(fault.status, { "content-type": fault.type });
      return void response.end(fault.body);
    }
    await this.beforeForward(seen);
    this.#forward(request, response, fault);
  }

  #forward(request: IncomingMessage, response: ServerResponse, fault: "truncated" | "shortened" | undefined): void {
    const cluster = this.#target.getCurrentCluster();
    const ca = Buffer.from(cluster?.caData ?? "", "base64");
    const { method = "GET", headers } = request;
    const onward = httpsRequest(`${cluster?.server}${request.url}`, { method, headers, ca }, (answer) => {
      const { statusCode = 502, headers: answered } = answer;
      if (fault !== undefined) delete answered["content-length"];
      response.writeHead(statusCode, answered);
      response.flushHeaders();
      // An answer that breaks off breaks off here too.
      answer.once("close", () => {
        if (!answer.complete) response.destroy();
      });
      if (fault === undefined) return void answer.pipe(response);
      answer.once("data", (chunk: Buffer) => {
        const half = chunk.subarray(0, chunk.length / 2);
        if (fault === "shortened") response.end(half);
        else response.write(half, () => response.destroy());
        onward.destroy();
      });
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  }
}
