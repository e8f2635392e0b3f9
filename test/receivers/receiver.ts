import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isNewer } from "../../shared/number.ts";
import { NotifiedReceivers } from "./notified.ts";
import { textOf } from "./text-of.ts";

/** How a receiver answers. `ack` as an agent does; the others are the faults that a delivery has to survive. */
export type ReceiverMode =
  | "ack"
  | "hang"
  | "trickle"
  | "error"
  | "no-ack"
  | "too-high"
  | "too-low"
  | "redirect"
  | "platform"
  | "endless";

export type Received = { id: string; headers: Record<string, string>; body: string; atMs: number };
type Number_ = { epoch: number; n: number };
type Control = { mode: ReceiverMode; applied: Number_; takes: string[] };
type State = Control & { received: Received[] };

/**
 * Webhook receivers for tests, one for each name. `/hook/<name>` receives. `/control/<name>` returns what came (GET). It sets the
 * mode, the number that was applied last, or the further kinds that are accepted (PUT). Those of notifications are beside them.
 */
export async function startReceivers(): Promise<{ url: string; stop: () => Promise<void> }> {
  const states = new Map<string, State>();
  const notified = new NotifiedReceivers();
  const server = createServer((request, response) => {
    const [, kind, name = ""] = (request.url ?? "").split("/");
    if (kind === "notify" || kind === "notified") {
      notified[kind](name, request, response).catch(() => response.destroy());
      return;
    }
    const state = states.get(name) ?? { mode: "ack", applied: { epoch: 0, n: 0 }, takes: [], received: [] };
    states.set(name, state);
    const handle = kind === "hook" ? hook : control;
    handle(state, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => stop(server) };
}

async function control(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "PUT") {
    Object.assign(state, JSON.parse(await textOf(request)) as Partial<Control>);
  }
  response.setHeader("content-type", "application/json").end(JSON.stringify(state));
}

async function hook(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await textOf(request);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  state.received.push({ id: headers["webhook-id"] ?? "", headers, body, atMs: Date.now() });
  const delivery = JSON.parse(body) as { kind: string; number: Number_; since?: Number_ };
  switch (state.mode) {
    case "hang":
      return;
    case "trickle":
      response.write("{");
      return;
    case "error":
      response.writeHead(500).end("out of order");
      return;
    case "no-ack":
      response.end("ok");
      return;
    case "redirect":
      response.writeHead(307, { location: "/hook/elsewhere" }).end();
      return;
    case "platform":
      response.writeHead(525).end("error code: 525");
      return;
    case "endless":
      response.end("x".repeat(1_000_000));
      return;
    case "too-high":
      acknowledge(response, { ...delivery.number, n: delivery.number.n + 5 });
      return;
    case "too-low":
      acknowledge(response, { epoch: 0, n: 0 });
      return;
    case "ack":
      if (isTaken(delivery, state) && isNewer(delivery.number, state.applied)) state.applied = delivery.number;
      acknowledge(response, state.applied, state.takes);
  }
}

function isTaken({ kind, since }: { kind: string; since?: Number_ }, { applied, takes }: State): boolean {
  if (kind !== "Changes") return kind === "Full";
  return takes.includes(kind) && since?.epoch === applied.epoch && since.n <= applied.n;
}

/** An agent of former days says nothing of what it takes. */
function acknowledge(response: ServerResponse, acknowledged: Number_, takes: string[] = []): void {
  const message = { version: 1, acknowledged, ...(takes.length > 0 && { takes }) };
  response.setHeader("content-type", "application/json").end(JSON.stringify(message));
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
