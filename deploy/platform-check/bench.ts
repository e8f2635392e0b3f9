import type { SocketAddress } from "../../shared/model/socket-address.ts";
import type { Connection } from "../../workers/prober/dial/connection.ts";
import type { ProbeRequest, ProbeResult } from "../../workers/prober/probe/probe-request.ts";
import type { ObjectAlarm } from "./object-alarm.ts";
import type { CheckRequest, Figures } from "./protocol.ts";

/** The tools of a measurement, inside an object. */
export interface Bench {
  request: CheckRequest;
  /** Emptied after each measurement. */
  storage: DurableObjectStorage;
  dial(target: SocketAddress): Connection;
  /** Probes in a loopback invocation, as a prober does with suspects. */
  probeInLoopback(request: ProbeRequest): Promise<ProbeResult>;
  /** Probes several addresses in one loopback invocation, as a prober does with DIALS_TOGETHER above 1. */
  probeBatchInLoopback(requests: readonly ProbeRequest[]): Promise<ProbeResult[]>;
  echo(n: number): Promise<number>;
  alarm: ObjectAlarm;
  /** The data centre that the object runs in, if it can be found out. */
  colo(): Promise<string | undefined>;
}

/** Measures one thing. Errors are reported as they are: a measurement handles nothing secret. */
export type Measure = (bench: Bench) => Promise<Figures>;

/** Limit of a dial that should succeed or be refused. */
export const DIAL_LIMIT_MS = 10_000;
/** The platform's limit of connections that wait for their first answer, per invocation. */
export const PLATFORM_SLOTS = 6;

/** A request as a prober makes it. Any status is right, since only the connection is measured. */
export function probeRequest(
  protocol: "TCP" | "HTTPS",
  { address, port }: SocketAddress,
  host: string,
  timeoutMs: number,
): ProbeRequest {
  const expectation = { statuses: [{ from: 100, to: 599 }] };
  const userAgent = "Vedette platform check";
  return { protocol, address, port, host, path: "/", expectation, headers: {}, userAgent, timeoutMs };
}

/** The end of a dial: `opened`, the platform's error or `pending`; and when it was known. */
export interface DialOutcome {
  outcome: string;
  ms: number;
}

/** Watches a dial until it ends. After the limit it is `pending`. */
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

/** Closes without waiting: `close` waits for a dial that hangs. */
export const drop = (connection: Connection): void => void connection.close().catch(() => undefined);

/** Dials over the object's own socket, and closes it. */
export async function dialOnce(bench: Bench, target: SocketAddress, limitMs = DIAL_LIMIT_MS): Promise<DialOutcome> {
  const connection = bench.dial(target);
  const outcome = await outcomeOf(connection, limitMs);
  drop(connection);
  return outcome;
}

/** Dials of the object's own sockets that hang on purpose. */
export interface HangingDials {
  /** How many still hang. */
  count(): number;
  drop(): void;
}

/** Dials the black hole `count` times over the object's own sockets. */
export function hangDials(bench: Bench, count: number): HangingDials {
  const dials = Array.from({ length: count }, () => bench.dial(bench.request.targets.blackHole));
  let hanging = count;
  const end = () => {
    hanging -= 1;
  };
  for (const { opened } of dials) opened.then(end, end);
  return { count: () => hanging, drop: () => dials.forEach(drop) };
}
