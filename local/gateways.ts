import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

/** Ways to break a sample gateway, with what each looks like from outside. */
export const BREAKAGES = {
  status: "answers 500",
  hang: "accepts and never answers",
  refuse: "refuses connections",
  region: "answers 500 to the region weur only",
  regions: "answers 500 to the regions weur and enam",
} as const;
export type Breakage = keyof typeof BREAKAGES;

/** Regions that a breakage fails for, as trouble far away would; the others fail for all. */
export const BROKEN_REGIONS: Partial<Record<Breakage, readonly string[]>> = {
  region: ["weur"],
  regions: ["weur", "enam"],
};

export type Gateway = {
  number: number;
  address: string;
  port: number;
  /** How it is broken; absent while it is well. */
  broken?: Breakage;
  change(breakage: Breakage | undefined): Promise<void>;
  stop(): Promise<void>;
};

/** Starts a sample gateway: a plain HTTP server that answers 200 on every path until it is broken. */
export async function startGateway(number: number, address: string, port: number): Promise<Gateway> {
  let server = await listen();
  const gateway: Gateway = { number, address, port, change, stop: () => close(server) };
  return gateway;

  async function listen(): Promise<Server> {
    const next = createServer((request, response) => answer(request, response, gateway.broken));
    next.listen({ host: address, port });
    await once(next, "listening");
    return next;
  }

  async function change(breakage: Breakage | undefined): Promise<void> {
    if (breakage === undefined) delete gateway.broken;
    else gateway.broken = breakage;
    server.closeAllConnections();
    if (breakage === "refuse") await close(server);
    else if (!server.listening) server = await listen();
  }
}

function answer(request: IncomingMessage, response: ServerResponse, broken: Breakage | undefined): void {
  if (broken === "hang") return;
  const region = /region=([a-z-]+)/.exec(request.headers["user-agent"] ?? "")?.[1] ?? "";
  const fails = broken !== undefined && (BROKEN_REGIONS[broken]?.includes(region) ?? true);
  response.writeHead(fails ? 500 : 200, { "content-type": "text/plain", connection: "close" });
  response.end(fails ? "broken on purpose\n" : "ok\n");
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}
