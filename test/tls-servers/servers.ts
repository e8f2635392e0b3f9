import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BEHAVIOURS } from "../gateways/fleet.ts";
import { freePort } from "../support/free-port.ts";
import { startCaddy } from "./caddy.ts";
import { CASES, type Case, INSTALL, type ServerName } from "./case.ts";
import { startGnutls } from "./gnutls.ts";
import { Materials } from "./material.ts";
import { startNginx, startNginxFor } from "./nginx.ts";
import { startBehaviour, startNode } from "./node.ts";
import { startOpenssl } from "./openssl.ts";
import { binaryOf, type Running } from "./program.ts";
import { startProxy } from "./proxy.ts";

/** The values that the tests in workerd get. */
export interface LiveServers {
  /**
   * `POST /<n>` starts the server of a case, alone, and answers with its port. So do `POST /names` (two names, each with
   * its own certificate), `POST /expired` and `POST /behaviour/<name>` (what a gateway of the fleet does, over TLS).
   */
  control: string;
  /** The authority that signed all certificates, as PEM. */
  root: string;
  missing: ServerName[];
}

const STARTERS = { OpenSSL: startOpenssl, nginx: startNginx, GnuTLS: startGnutls, caddy: startCaddy };
/** Two hosts on one address, each with its own certificate. */
const NAMES = { "one.test": "P-256", "two.test": "RSA" } as const;

/** Starts servers as they are asked for, one at a time. */
export async function serveServers(): Promise<{ told: LiveServers; close: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-tls-"));
  const materials = await Materials.make(folder);
  let running: Running | undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      await running?.stop();
      running = undefined;
      running = await start(request.url?.slice(1) ?? "", materials);
      response.end(`${running.port}`);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    await running?.stop();
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  };
  const missing = (Object.keys(INSTALL) as (keyof typeof INSTALL)[]).filter((name) => binaryOf(name) === undefined);
  const control = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { told: { control, root: materials.root, missing }, close };
}

async function start(what: string, materials: Materials): Promise<Running> {
  const [kind, name] = what.split("/");
  if (kind === "names") return startNames(materials);
  if (kind === "expired") return startBehaviour(BEHAVIOURS.good, await materials.expired());
  if (kind === "behaviour") {
    return startBehaviour(BEHAVIOURS[name as keyof typeof BEHAVIOURS], await materials.of("P-256"));
  }
  const one = CASES[Number(what)];
  if (one === undefined) throw new Error(`There is no case ${what}.`);
  const server = await startOne(one, materials);
  return one.between === undefined ? server : startProxy(one.between, server);
}

async function startNames(materials: Materials): Promise<Running> {
  const named = Object.entries(NAMES).map(async ([host, key]) => [host, await materials.of(key, host)] as const);
  return startNginxFor(binaryOf("nginx") ?? "", new Map(await Promise.all(named)), await freePort());
}

async function startOne(one: Case, materials: Materials): Promise<Running> {
  const [material, port] = [await materials.of(one.key), await freePort()];
  if (one.server === "Node") return startNode(one, material, port);
  return STARTERS[one.server](binaryOf(one.server) ?? "", one, material, port);
}
