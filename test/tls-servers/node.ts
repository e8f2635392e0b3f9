import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
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
