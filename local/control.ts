import { once } from "node:events";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import type { Part } from "./child-process.ts";
import type { Answer } from "./dns-watch.ts";
import { BREAKAGES, type Breakage, type Gateway } from "./sample-gateways.ts";

const HELP = `GET  /                                   the state of the stack, as JSON
POST /gateways/<n>/break?how=<kind>      kinds: ${Object.keys(BREAKAGES).join(", ")} (default: status)
POST /gateways/<n>/mend
POST /edge/stop    POST /edge/start
`;

/** The part of a stack that can be controlled from outside. */
interface ControlledStack {
  gateways: readonly Gateway[];
  edge: Pick<Part, "running">;
  agent: Pick<Part, "running">;
  answers(): Record<string, Answer>;
  changeGateway(gateway: Gateway, breakage: Breakage | undefined): Promise<void>;
  startEdge(): Promise<void>;
  stopEdge(): Promise<void>;
}

/**
 * Serves for scripts what the keys do: breaks and repairs gateways, stops and starts the edge. Returns the function that stops
 * it.
 */
export async function serveControl(stack: ControlledStack, host: string, port: number): Promise<() => Promise<void>> {
  const server = createServer(getRequestListener(controlApp(stack).fetch));
  server.listen({ host, port });
  await once(server, "listening");
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
}

function controlApp(stack: ControlledStack): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    context.header("connection", "close");
    // Only browsers send an origin. Pages must not control the stack.
    if (context.req.header("origin") !== undefined) return context.text("This is for the command line.\n", 403);
    return await next();
  });
  app.get("/", (context) => context.json(stateOf(stack)));
  app.post("/gateways/:number/:verb{break|mend}", async (context) => {
    const { number, verb } = context.req.param();
    const how = context.req.query("how") ?? "status";
    const gateway = stack.gateways.find((candidate) => `${candidate.number}` === number);
    if (gateway === undefined) return context.text(`There is no sample gateway "${number}".\n${HELP}`, 404);
    if (verb === "break" && !isBreakage(how))
      return context.text(`how: "${how}" is no kind of breaking.\n${HELP}`, 400);
    await stack.changeGateway(gateway, verb === "break" ? (how as Breakage) : undefined);
    return context.json(stateOf(stack));
  });
  app.post("/edge/:verb{stop|start}", async (context) => {
    await (context.req.param("verb") === "stop" ? stack.stopEdge() : stack.startEdge());
    return context.json(stateOf(stack));
  });
  app.notFound((context) => context.text(HELP, 404));
  app.onError((error, context) => context.text(`${error.message}\n`, 500));
  return app;
}

const isBreakage = (text: string): text is Breakage => Object.hasOwn(BREAKAGES, text);

function stateOf(stack: ControlledStack): object {
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
