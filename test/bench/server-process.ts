import { once } from "node:events";
import { createServer as createHttp, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { createSecureContext, type TlsOptions } from "node:tls";
import { type Chains, KEYS, type KeyKind } from "./certificates.ts";
import type { HttpsPorts, Ports } from "./server.ts";

const answer = (_: unknown, response: ServerResponse) => response.end("hello");

async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Shows the chains in turn, whatever name is asked for. */
function inTurn({ certificates, key }: Chains): TlsOptions {
  const contexts = certificates.map((cert) => createSecureContext({ cert, key }));
  let shown = 0;
  return { SNICallback: (_name, callback) => callback(null, contexts[shown++ % contexts.length]) };
}

async function portsOf(chains: Chains): Promise<HttpsPorts> {
  const pair = { cert: chains.certificates[0], key: chains.key, ALPNProtocols: ["http/1.1"] };
  return {
    same: await portOf(createHttps(pair, answer)),
    other: await portOf(createHttps({ ...pair, ...inTurn(chains) }, answer)),
  };
}

/** Child process: an HTTP server, and two HTTPS servers for each kind of key. */
process.once("message", async (chains: Record<KeyKind, Chains>) => {
  const https = KEYS.map(async (kind) => [kind, await portsOf(chains[kind])] as const);
  const ports: Ports = {
    http: await portOf(createHttp(answer)),
    https: Object.fromEntries(await Promise.all(https)) as Ports["https"],
  };
  process.send?.(ports);
});
process.once("disconnect", () => process.exit());
