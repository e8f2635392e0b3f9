import { once } from "node:events";
import { connect as dial } from "node:net";
import { connect, createSecureContext, type SecureContext } from "node:tls";
import { TlsClient } from "../../workers/prober/tls/client.ts";
import type { VersionName } from "../../workers/prober/tls/parameters.ts";
import { rootStore } from "../../workers/prober/tls/roots.ts";
import { makeVerifier, type Verify } from "../../workers/prober/tls/verify/verifier.ts";
import { HOST } from "../certificates/family.ts";
import { derOf } from "./der.ts";
import type { Contender } from "./rounds.ts";
import type { HttpsPorts } from "./server.ts";

const LOOPBACK = "127.0.0.1";

interface Peer {
  ports: HttpsPorts;
  version: VersionName;
  /** PEM. */
  root: string;
}

/** Node's own client, ours with certificates that it has seen before, and ours with such as it never has. */
export function handshakers({ ports, version, root }: Peer): [Contender, Contender, Contender] {
  const verify = makeVerifier(rootStore(derOf(root)));
  const context = createSecureContext({ ca: root, minVersion: version, maxVersion: version });
  return [
    { name: "Node", run: (times) => cpuOf(times, () => shakeNodes(ports.same, context)) },
    { name: "seen before", run: (times) => cpuOf(times, () => shakeOurs(ports.same, version, verify)) },
    { name: "never seen", run: (times) => cpuOf(times, () => shakeOurs(ports.other, version, verify)) },
  ];
}

/** CPU time of this process in ms, all threads. */
async function cpuOf(times: number, run: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  for (let done = 0; done < times; done++) await run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

async function shakeNodes(port: number, secureContext: SecureContext): Promise<void> {
  const socket = connect({
    host: LOOPBACK,
    port,
    secureContext,
    servername: HOST,
    ALPNProtocols: ["http/1.1"],
    // As ours; by default there would be a post-quantum share as well.
    ecdhCurve: "X25519:P-256:P-384:P-521",
  });
  await once(socket, "secureConnect");
  if (!socket.authorized || socket.isSessionReused()) throw new Error("Node's handshake was not a whole one");
  socket.destroy();
  await once(socket, "close");
}

async function shakeOurs(port: number, version: VersionName, verify: Verify): Promise<void> {
  const client = new TlsClient({
    serverName: HOST,
    verify: (chain) => verify(chain, HOST, Date.now()),
    allowInsecureCertificate: false,
    offer: { versions: [version] },
  });
  const socket = dial({ host: LOOPBACK, port });
  await new Promise<void>((done, fail) => {
    socket.once("connect", () => socket.write(client.start()));
    socket.on("error", fail);
    socket.on("data", (octets) => {
      const { send } = client.receive(octets);
      if (client.state === "handshaking") {
        if (send.length > 0) socket.write(send);
      } else if (client.state === "open") socket.write(send, () => done());
      else fail(new Error(client.fault?.message ?? `The handshake ended as ${client.state}`));
    });
  });
  socket.destroy();
  await once(socket, "close");
}
