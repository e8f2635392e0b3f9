import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { type Identity, makeAuthority, makeServerIdentity } from "./certificates.ts";

/** Ways to break a sample gateway, and how each looks from outside. */
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

/** The regions that a breakage fails for, like a fault far away. A breakage without regions fails for all. */
export const BROKEN_REGIONS: Partial<Record<Breakage, readonly string[]>> = {
  region: ["weur"],
  regions: ["weur", "enam"],
};

/** The certificates of the sample gateways, all by one authority. */
export interface GatewayIdentities {
  /** The authority's certificate, in PEM. */
  authority: string;
  good: Identity;
  expired: Identity;
  misnamed: Identity;
}

const DAY_MS = 86_400_000;

/** Makes certificates for gateways of these names: a good one, one that expired a day ago, and one for another host. */
export async function makeGatewayIdentities(names: readonly string[], nowMs: number): Promise<GatewayIdentities> {
  const authority = await makeAuthority("Vedette local stack", nowMs);
  return {
    authority: authority.certificate,
    good: await makeServerIdentity(authority, names, nowMs),
    expired: await makeServerIdentity(authority, names, nowMs - 2 * DAY_MS, 1),
    misnamed: await makeServerIdentity(authority, ["elsewhere.example.test"], nowMs),
  };
}

export type Gateway = {
  number: number;
  address: string;
  port: number;
  scheme: "http" | "https";
  /** How it is broken; absent while it is healthy. */
  broken?: Breakage;
  change(breakage: Breakage | undefined): Promise<void>;
  stop(): Promise<void>;
};

/** Where a sample gateway listens. With identities it serves HTTPS, without them HTTP. */
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
    if (isCertificateBreakage(breakage) && identities === undefined) throw new Error(`${address} speaks no TLS`);
    if (breakage === undefined) delete gateway.broken;
    else gateway.broken = breakage;
    server.closeAllConnections();
    if (breakage === "refuse") await close(server);
    else if (!server.listening) server = await listen();
    if (identities !== undefined && "setSecureContext" in server) {
      server.setSecureContext(pair(identities[isCertificateBreakage(breakage) ? breakage : "good"]));
    }
  }
}

const isCertificateBreakage = (breakage: Breakage | undefined) => breakage === "expired" || breakage === "misnamed";

const pair = ({ certificate, key }: Identity) => ({ cert: certificate, key });

function answer(request: IncomingMessage, response: ServerResponse, broken: Breakage | undefined): void {
  if (broken === "hang") return;
  const region = /region=([a-z-]+)/.exec(request.headers["user-agent"] ?? "")?.[1] ?? "";
  const fails =
    broken !== undefined && !isCertificateBreakage(broken) && (BROKEN_REGIONS[broken]?.includes(region) ?? true);
  response.writeHead(fails ? 500 : 200, { "content-type": "text/plain", connection: "close" });
  response.end(fails ? "broken on purpose\n" : "ok\n");
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}
