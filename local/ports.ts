import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Ports } from "./options.ts";
import { HOST } from "./plan.ts";

/** A port that the stack is about to use, and the option that changes it. */
type WantedPort = { what: string; host: string; port: number; protocol: "TCP" | "UDP"; option: string };

const RELEASE_MS = 1_500;

/** Every port of a stack with its sample gateways. */
export function wantedPorts(ports: Ports, gatewayAddresses: readonly string[]): WantedPort[] {
  const at = (what: string, port: number, option: string, protocol: WantedPort["protocol"] = "TCP", host = HOST) => ({
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
 * Reports which ports cannot be used, one line each; empty if all are free. A port that is just being released gets a
 * moment. The edge's own server hangs silently on a port in use, so this runs before it starts.
 */
export async function unusablePorts(wanted: readonly WantedPort[], waitMs = RELEASE_MS): Promise<string[]> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const found = (await Promise.all(wanted.map(unusableReason))).filter((line) => line !== undefined);
    if (found.length === 0 || Date.now() > deadline) return found;
    await pause(100);
  }
}

async function unusableReason(wanted: WantedPort): Promise<string | undefined> {
  try {
    await bind(wanted);
    return undefined;
  } catch (error) {
    return explain(wanted, (error as NodeJS.ErrnoException).code ?? (error as Error).message);
  }
}

function explain({ what, host, port, protocol, option }: WantedPort, code: string): string {
  const where = `${protocol} port ${port} on ${host} (${what})`;
  if (code === "EADDRINUSE") return `${where} is in use: stop what uses it, or choose another with ${option} <port>`;
  if (code === "EACCES") return `${where} needs more rights: choose one above 1023 with ${option} <port>`;
  if (code === "EADDRNOTAVAIL")
    return `${where}: this machine lacks the address. On macOS: sudo ifconfig lo0 alias ${host}`;
  return `${where} cannot be used: ${code}`;
}

/** Listens at the port for a moment. Throws the system's error if that is impossible. */
async function bind({ host, port, protocol }: WantedPort): Promise<void> {
  const listener =
    protocol === "TCP"
      ? createServer().listen({ host, port, exclusive: true })
      : createSocket("udp4").bind({ address: host, port, exclusive: true });
  await once(listener, "listening");
  listener.close();
  await once(listener, "close");
}
