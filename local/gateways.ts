import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { Identity } from "./certificates.ts";
import type { GatewayIdentities } from "./gateway-identities.ts";

/** Ways to break a sample gateway, with what each looks like from outside. */
export const BREAKAGES = {
  status: "answers 500",
  hang: "accepts and never answers",
  refuse: "refuses connections",
  region: "answers 500 to the region weur only",
  regions: "answers 500 to the regions weur and enam",
  expired: "shows a certificate that has expired",
  misnamed: "shows a certificate for another host",
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
  scheme: "http" | "https";
  /** How it is broken; absent while it is well. */
  broken?: Breakage;
  change(breakage: Breakage | undefined): Promise<void>;
  stop(): Promise<void>;
};

/** Where a sample gateway listens. With identities it speaks HTTPS, else HTTP. */
type GatewayPlan = { number: number; address: string; port: number; identities?: GatewayIdentities };

/** Starts a sample gateway: a server that answers 200 on every path until it is broken. */
export async function startGateway({ number, address, port, identities }: GatewayPlan): Promise<Gateway> {
  const scheme = identities === undefined ? "http" : "https";
  let server = await listen();
  const gateway: Gateway = { number, address, port, scheme, change, stop: () => close(server) };
  return gateway;

  async function listen(): Promise<Server | TlsServer> {
    const handle = (request: IncomingMessage, response: ServerResponse) => answer(request, response, gateway.broken);
    const next = identities === undefined ? createServer(handle) : createTlsServer(pair(identities.good), handle);
    next.listen({ host: address, port });
    await once(next, "listening");
    return next;
  }

  async function change(breakage: Breakage | undefined): Promise<void> {
    if (isOfCertificate(breakage) && identities === undefined) throw new Error(`${address} speaks no TLS`);
    if (breakage === undefined) delete gateway.broken;
    else gateway.broken = breakage;
    server.closeAllConnections();
    if (breakage === "refuse") await close(server);
    else if (!server.listening) server = await listen();
    if (identities !== undefined && "setSecureContext" in server) {
      server.setSecureContext(pair(identities[isOfCertificate(breakage) ? breakage : "good"]));
    }
  }
}

const isOfCertificate = (breakage: Breakage | undefined) => breakage === "expired" || breakage === "misnamed";

const pair = ({ certificate, key }: Identity) => ({ cert: certificate, key });

function answer(request: IncomingMessage, response: ServerResponse, broken: Breakage | undefined): void {
  if (broken === "hang") return;
  const region = /region=([a-z-]+)/.exec(request.headers["user-agent"] ?? "")?.[1] ?? "";
  const fails = broken !== undefined && !isOfCertificate(broken) && (BROKEN_REGIONS[broken]?.includes(region) ?? true);
  response.writeHead(fails ? 500 : 200, { "content-type": "text/plain", connection: "close" });
  response.end(fails ? "broken on purpose\n" : "ok\n");
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}
