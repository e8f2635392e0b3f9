import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Ports } from "./options.ts";
import { HOST } from "./plan.ts";

/** A port that the stack is about to use, and what the user can do when it is taken. */
type Wanted = { what: string; host: string; port: number; protocol: "TCP" | "UDP"; option: string };

const RELEASE_MS = 1_500;

/** Every port of a stack with its sample gateways. */
export function wantedPorts(ports: Ports, gatewayAddresses: readonly string[]): Wanted[] {
  const at = (what: string, port: number, option: string, protocol: Wanted["protocol"] = "TCP", host = HOST) => ({
    what,
    host,
    port,
    protocol,
    option,
  });
  return [
    at("edge", ports.edge, "--edge-port"),
    at("agent", ports.agent, "--agent-port"),
    at("DNS", ports.dns, "--dns-port"),
    at("DNS", ports.dns, "--dns-port", "UDP"),
    at("control", ports.control, "--control-port"),
    ...gatewayAddresses.map((host) => at("sample gateway", ports.gateway, "--gateway-port", "TCP", host)),
  ];
}

/**
 * Why the ports cannot be had, one line each; empty when all are free. A port that something is just letting go of is
 * given a moment. The edge's own server hangs without a word on a port in use, hence this test before it starts.
 */
export async function refusals(wanted: readonly Wanted[], waitMs = RELEASE_MS): Promise<string[]> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const found = (await Promise.all(wanted.map(refusalOf))).filter((line) => line !== undefined);
    if (found.length === 0 || Date.now() > deadline) return found;
    await pause(100);
  }
}

async function refusalOf(wanted: Wanted): Promise<string | undefined> {
  try {
    await (wanted.protocol === "TCP" ? bindTcp(wanted) : bindUdp(wanted));
    return undefined;
  } catch (error) {
    return explain(wanted, (error as NodeJS.ErrnoException).code ?? (error as Error).message);
  }
}

function explain({ what, host, port, protocol, option }: Wanted, code: string): string {
  const where = `${protocol} port ${port} on ${host} (${what})`;
  if (code === "EADDRINUSE") return `${where} is in use: stop what uses it, or choose another with ${option} <port>`;
  if (code === "EACCES") return `${where} needs more rights: choose one above 1023 with ${option} <port>`;
  if (code === "EADDRNOTAVAIL")
    return `${where}: this machine lacks the address. On macOS: sudo ifconfig lo0 alias ${host}`;
  return `${where} cannot be used: ${code}`;
}

async function bindTcp({ host, port }: Wanted): Promise<void> {
  const server = createServer();
  server.listen({ host, port, exclusive: true });
  await once(server, "listening");
  server.close();
  await once(server, "close");
}

async function bindUdp({ host, port }: Wanted): Promise<void> {
  const socket = createSocket("udp4");
  socket.bind({ address: host, port, exclusive: true });
  await once(socket, "listening");
  socket.close();
  await once(socket, "close");
}
