import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import type { Behaviour } from "../gateways/gateway.ts";
import type { Case } from "./case.ts";
import { PAGE } from "./case.ts";
import type { Material } from "./material.ts";
import { opensslSuite } from "./openssl.ts";
import type { Running } from "./program.ts";

export async function startNode(one: Case, material: Material, port: number): Promise<Running> {
  const server = createServer(
    {
      cert: readFileSync(material.fullChain),
      key: readFileSync(material.key),
      minVersion: one.version,
      maxVersion: one.version,
      ...(one.suite !== undefined && { ciphers: opensslSuite(one.suite) }),
      ...(one.group !== undefined && { ecdhCurve: one.group }),
      ...(one.asksForCertificate && { requestCert: true, rejectUnauthorized: false }),
    },
    (_, response) => response.end(PAGE),
  );
  server.on("secureConnection", (socket: TLSSocket) => {
    if (one.recordOctets !== undefined) socket.setMaxSendFragment(one.recordOctets);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { port, stop };
}

/** What a gateway of the fleet does, behind a handshake. */
export async function startBehaviour(behaviour: Behaviour, material: Material): Promise<Running> {
  const sockets = new Set<Socket>();
  const pair = { cert: readFileSync(material.fullChain), key: readFileSync(material.key) };
  const server = createTlsServer(pair, (socket) => {
    socket.on("error", () => socket.destroy());
    behaviour(socket);
  });
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return { port: (server.address() as AddressInfo).port, stop };
}
