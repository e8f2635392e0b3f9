import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { BREAKAGES, type Breakage } from "./gateways.ts";
import type { Part } from "./part.ts";
import type { Stack } from "./stack.ts";

const HELP = `GET  /                                   how the stack stands, as JSON
POST /gateways/<n>/break?how=<kind>      kinds: ${Object.keys(BREAKAGES).join(", ")} (default: status)
POST /gateways/<n>/mend
POST /edge/stop    POST /edge/start
`;

type Controlled = Pick<Stack, "answers" | "changeGateway" | "gateways" | "startEdge" | "stopEdge"> &
  Record<"edge" | "agent", Pick<Part, "running">>;
type Result = { status: number; body: object | string };

/** Breaks and mends by curl what the keys break and mend, for scripts. Gives the function that ends it. */
export async function serveControl(stack: Controlled, host: string, port: number): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    act(stack, request).then(
      (result) => send(response, result),
      (error: Error) => send(response, { status: 500, body: `${error.message}\n` }),
    );
  });
  server.listen({ host, port });
  await once(server, "listening");
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
}

function send(response: ServerResponse, { status, body }: Result): void {
  const isText = typeof body === "string";
  response.writeHead(status, {
    "content-type": isText ? "text/plain" : "application/json",
    connection: "close",
  });
  response.end(isText ? body : `${JSON.stringify(body)}\n`);
}

async function act(stack: Controlled, request: IncomingMessage): Promise<Result> {
  // Only browsers send it, and a page from elsewhere has no business here.
  if (request.headers.origin !== undefined) return { status: 403, body: "This is for the command line.\n" };
  const url = new URL(request.url ?? "/", "http://stack");
  if (request.method === "GET" && url.pathname === "/") return { status: 200, body: stateOf(stack) };
  const [, part, ...words] = url.pathname.split("/");
  if (request.method === "POST" && part === "gateways") return changeGateway(stack, words, url.searchParams.get("how"));
  if (request.method === "POST" && part === "edge") return changeEdge(stack, words[0]);
  return { status: 404, body: HELP };
}

async function changeGateway(stack: Controlled, [number, verb]: string[], how: string | null): Promise<Result> {
  const gateway = stack.gateways.find((candidate) => `${candidate.number}` === number);
  if (gateway === undefined) return { status: 404, body: `There is no sample gateway "${number}".\n${HELP}` };
  if (verb === "mend") await stack.changeGateway(gateway, undefined);
  else if (verb !== "break") return { status: 404, body: HELP };
  else if (!isBreakage(how ?? "status")) return { status: 400, body: `how: "${how}" is no kind of breaking.\n${HELP}` };
  else await stack.changeGateway(gateway, (how ?? "status") as Breakage);
  return { status: 200, body: stateOf(stack) };
}

async function changeEdge(stack: Controlled, verb: string | undefined): Promise<Result> {
  if (verb !== "stop" && verb !== "start") return { status: 404, body: HELP };
  await (verb === "stop" ? stack.stopEdge() : stack.startEdge());
  return { status: 200, body: stateOf(stack) };
}

const isBreakage = (text: string): text is Breakage => Object.hasOwn(BREAKAGES, text);

function stateOf(stack: Controlled): object {
  return {
    edge: stack.edge.running ? "running" : "stopped",
    agent: stack.agent.running ? "running" : "stopped",
    gateways: stack.gateways.map(({ number, scheme, address, port, broken }) => ({
      number,
      address: `${scheme}://${address}:${port}`,
      state: broken === undefined ? "well" : BREAKAGES[broken],
    })),
    answers: stack.answers(),
  };
}
