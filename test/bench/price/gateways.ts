import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** The first `count` endpoints answer in this way instead of well. */
export interface Trouble {
  count: number;
  kind: "status" | "hang";
}

export interface GatewayPlan {
  /** Of the server, in PEM. */
  certificate: string;
  key: string;
  /** How long an exchange takes, from the dial to the last octet, in milliseconds. */
  delayMs: number;
}

export interface Gateways {
  port: number;
  set(trouble: Trouble | undefined): void;
  stop(): void;
}

/** The address of an endpoint: all of 127.0.0.0/8 is this machine. */
export const addressOf = (endpoint: number): string =>
  `127.${1 + (endpoint >> 14)}.${(endpoint >> 7) & 127}.${1 + (endpoint & 127)}`;

/** Starts the gateways of a fleet, in a process of their own. They speak HTTPS on every loopback address. */
export async function startGateways(plan: GatewayPlan): Promise<Gateways> {
  const child = fork(join(import.meta.dirname, "gateway-process.ts"));
  child.send(plan);
  const [port] = (await once(child, "message")) as [number];
  return {
    port,
    set: (trouble) => void child.send(trouble ?? { count: 0, kind: "status" }),
    stop: () => void child.kill(),
  };
}
