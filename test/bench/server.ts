import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Chains, KeyKind } from "./certificates.ts";

/** TCP ports on 127.0.0.1. The HTTPS servers take TLS 1.2 and 1.3. */
export interface Ports {
  http: number;
  https: Record<KeyKind, HttpsPorts>;
}

/** Of a server that shows the same chain each time, and of one that shows another each time. */
export interface HttpsPorts {
  same: number;
  other: number;
}

/** Starts the servers in a process of their own, whose CPU time is nobody's here. */
export async function startServers(chains: Record<KeyKind, Chains>): Promise<{ ports: Ports; stop: () => void }> {
  const child = fork(join(import.meta.dirname, "server-process.ts"));
  child.send(chains);
  const [ports] = (await once(child, "message")) as [Ports];
  return { ports, stop: () => child.kill() };
}
