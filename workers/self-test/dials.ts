import type { Figures } from "../../shared/model/self-test.ts";
import type { SocketAddress } from "../../shared/model/socket-address.ts";
import type { Connection } from "../prober/dial.ts";
import { CLOUDFLARE_RESOLVER } from "./addresses.ts";
import type { Bench, Measure } from "./bench.ts";
import { questionOf } from "./question.ts";

/** How long a dial that is to succeed or to be refused may take. */
const DIAL_LIMIT_MS = 10_000;
/** How long a black-holed dial is watched: beyond the 21 s after which the platform is said to give it up. */
const HELD_LIMIT_MS = 40_000;
const LOOPBACK_TIMEOUT_MS = 2_000;
/** The platform's limit of connections that wait for their first answer, in one invocation. */
const PLATFORM_SLOTS = 6;

/** How a dial went, and when that was known. `pending` where nothing was known within the limit. */
async function outcomeOf(connection: Connection, limitMs: number): Promise<{ outcome: string; ms: number }> {
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
const drop = (connection: Connection): void => void connection.close().catch(() => undefined);

async function dialOnce(bench: Bench, target: SocketAddress, limitMs = DIAL_LIMIT_MS): Promise<Figures> {
  const connection = bench.dial(target);
  const figures = await outcomeOf(connection, limitMs);
  drop(connection);
  return figures;
}

export const closedPort: Measure = (bench) => dialOnce(bench, bench.request.targets.closedPort);

/** Cloudflare's own addresses are refused: what the refusal looks like, and that it is one. */
export const cloudflareAddress: Measure = (bench) => dialOnce(bench, CLOUDFLARE_RESOLVER);

export const ipv6: Measure = (bench) => dialOnce(bench, bench.request.targets.ipv6);

/** A loopback invocation asks the black hole: it has to return with its deadline. */
export const blackHole: Measure = async (bench) => {
  const startedAt = Date.now();
  const question = questionOf("TCP", bench.request.targets.blackHole, "", LOOPBACK_TIMEOUT_MS);
  const { reason } = await bench.askElsewhere(question);
  return { reason, timeoutMs: LOOPBACK_TIMEOUT_MS, returnedMs: Date.now() - startedAt };
};

/** The object's own socket dials the black hole and is closed at once: how long the platform holds it nevertheless. */
export const blackHoleHeld: Measure = async (bench) => {
  const connection = bench.dial(bench.request.targets.blackHole);
  drop(connection);
  return outcomeOf(connection, HELD_LIMIT_MS);
};

/** With all the platform's slots taken by dials that hang, one to something that accepts. */
export const seventhDial: Measure = async (bench) => {
  const { blackHole, open } = bench.request.targets;
  const before = await dialOnce(bench, open);
  const hanging = Array.from({ length: PLATFORM_SLOTS }, () => bench.dial(blackHole));
  for (const connection of hanging) connection.opened.catch(() => undefined);
  const seventh = await dialOnce(bench, open, HELD_LIMIT_MS);
  for (const connection of hanging) drop(connection);
  return { ...seventh, slots: PLATFORM_SLOTS, aloneMs: before.ms ?? 0 };
};

/** Our own TLS client, in a loopback invocation, with a name to an address. */
export const tls: Measure = async (bench) => {
  const { tls: target, tlsHost } = bench.request.targets;
  const {
    reason,
    message,
    phases,
    tls: session,
  } = await bench.askElsewhere(questionOf("HTTPS", target, tlsHost, DIAL_LIMIT_MS));
  return {
    reason,
    ...(message !== undefined && { message }),
    ...(session && { version: session.version, cipherSuite: session.cipherSuite }),
    ...(phases.connectMs !== undefined && { connectMs: phases.connectMs }),
    ...(phases.tlsMs !== undefined && { tlsMs: phases.tlsMs }),
  };
};

/** How much later a dial is known to be open when a write goes before it. */
export const outputGate: Measure = async (bench) => {
  const { open } = bench.request.targets;
  const plain = await dialOnce(bench, open);
  await bench.storage.put("self-test", Date.now());
  const afterWrite = await dialOnce(bench, open);
  const writtenAt = Date.now();
  await bench.storage.put("self-test", writtenAt);
  await bench.storage.sync();
  const syncMs = Date.now() - writtenAt;
  return { outcome: afterWrite.outcome ?? "", plainMs: plain.ms ?? 0, afterWriteMs: afterWrite.ms ?? 0, syncMs };
};
