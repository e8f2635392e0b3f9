import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { run } from "../../cli/program.ts";
import type { Surroundings } from "../../cli/session.ts";

/** What a stand-in for the edge answers, by path and query: JSON with the status 200, or with that of a problem. */
export type Answering = (path: string) => object | { status: number; body: object } | "hangs up";

export interface FakeEdge extends AsyncDisposable {
  url: string;
  /** Paths that were asked for, oldest first. */
  asked: string[];
}

/** A server with scripted answers. */
export async function fakeEdge(answering: Answering): Promise<FakeEdge> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(response, answering(request.url ?? ""));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, given: ReturnType<Answering>): void {
  if (given === "hangs up") return void response.destroy();
  const { status, body } = "body" in given ? given : { status: 200, body: given };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

export interface Run {
  readonly stdout: string;
  readonly stderr: string;
  /** As Ctrl-C does for a watch. */
  end(): void;
  code: Promise<number>;
}

/** Runs a command line in this process. */
export function runCli(argv: readonly string[], size?: { columns: number; rows: number }): Run {
  let stdout = "";
  let stderr = "";
  const controller = new AbortController();
  const stream = (write: (text: string) => void) =>
    ({ isTTY: size !== undefined, ...size, write }) as unknown as NodeJS.WriteStream;
  const surroundings: Surroundings = {
    env: {},
    stdout: stream((text) => {
      stdout += text;
    }),
    stderr: stream((text) => {
      stderr += text;
    }),
    now: Date.now,
    ending: () => controller.signal,
  };
  return {
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    end: () => controller.abort(),
    code: run(argv, surroundings),
  };
}
