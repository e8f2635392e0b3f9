import type { SocketAddress } from "../../shared/model/socket-address.ts";
import type { Connection } from "../prober/dial/connection.ts";
import type { Bench } from "./bench.ts";

/** How long a dial that is to succeed or to be refused may take. */
export const DIAL_LIMIT_MS = 10_000;
/** The platform's limit of connections that wait for their first answer, in one invocation. */
export const PLATFORM_SLOTS = 6;

/** How a dial went: `opened`, what the platform says of it, or `pending`; and when that was known. */
export interface DialOutcome {
  outcome: string;
  ms: number;
}

/** Watches a dial until it is over, or for so long: it is `pending` then. */
export async function outcomeOf(connection: Connection, limitMs: number): Promise<DialOutcome> {
  const startedAt = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve("pending"), limitMs);
  });
  const settled = connection.opened.then(
    () => "opened",
    (error: unknown) => `${error instanceof Error ? error.message : error}`,
  );
  try {
    return { outcome: await Promise.race([settled, late]), ms: Date.now() - startedAt };
  } finally {
    clearTimeout(timer);
  }
}

/** `close` of a dial that hangs waits for the dial: nobody waits for it. */
export const drop = (connection: Connection): void => void connection.close().catch(() => undefined);

/** Dials over the object's own socket, and closes it. */
export async function dialOnce(bench: Bench, target: SocketAddress, limitMs = DIAL_LIMIT_MS): Promise<DialOutcome> {
  const connection = bench.dial(target);
  const outcome = await outcomeOf(connection, limitMs);
  drop(connection);
  return outcome;
}

/** Dials of the object's own that are meant to hang. */
export interface Held {
  /** How many of them still do. */
  hanging(): number;
  drop(): void;
}

/** Dials a black hole as often over the object's own sockets. */
export function hold(bench: Bench, count: number): Held {
  const dials = Array.from({ length: count }, () => bench.dial(bench.request.targets.blackHole));
  let hanging = count;
  const over = () => {
    hanging -= 1;
  };
  for (const { opened } of dials) opened.then(over, over);
  return { hanging: () => hanging, drop: () => dials.forEach(drop) };
}
