import { CLOUDFLARE_RESOLVER } from "./addresses.ts";
import type { Measure } from "./bench.ts";
import { DIAL_LIMIT_MS, dialOnce, drop, hold, outcomeOf, PLATFORM_SLOTS } from "./dial-outcome.ts";
import { questionOf } from "./question.ts";

/** How long a black-holed dial is watched: beyond the 21 s after which the platform is said to give it up. */
const HELD_LIMIT_MS = 40_000;
const LOOPBACK_TIMEOUT_MS = 2_000;

export const closedPort: Measure = async (bench) => ({ ...(await dialOnce(bench, bench.request.targets.closedPort)) });

/** Cloudflare's own addresses are refused: what the refusal looks like, and that it is one. */
export const cloudflareAddress: Measure = async (bench) => ({ ...(await dialOnce(bench, CLOUDFLARE_RESOLVER)) });

export const ipv6: Measure = async (bench) => ({ ...(await dialOnce(bench, bench.request.targets.ipv6)) });

/** A loopback invocation asks the black hole: it has to return with its deadline. */
export const blackHole: Measure = async (bench) => {
  const startedAt = Date.now();
  const question = questionOf("TCP", bench.request.targets.blackHole, "", LOOPBACK_TIMEOUT_MS);
  const { reason } = await bench.probeInLoopback(question);
  return { reason, timeoutMs: LOOPBACK_TIMEOUT_MS, returnedMs: Date.now() - startedAt };
};

/**
 * The object's own socket dials the black hole and is closed at once: how long the platform holds it nevertheless. Beside it another
 * is left open, which tells a dial that was cancelled from one that was over anyway.
 */
export const blackHoleHeld: Measure = async (bench) => {
  const beside = hold(bench, 1);
  const connection = bench.dial(bench.request.targets.blackHole);
  drop(connection);
  const closed = await outcomeOf(connection, HELD_LIMIT_MS);
  const otherHangs = beside.hanging() === 1;
  beside.drop();
  return { ...closed, otherHangs };
};

/** With all the platform's slots taken by dials that hang, one to something that accepts. */
export const seventhDial: Measure = async (bench) => {
  const { open } = bench.request.targets;
  const alone = await dialOnce(bench, open);
  if (alone.outcome !== "opened") return { aloneOutcome: alone.outcome, aloneMs: alone.ms };
  const held = hold(bench, PLATFORM_SLOTS);
  const seventh = await dialOnce(bench, open, HELD_LIMIT_MS);
  const hanging = held.hanging();
  held.drop();
  return { ...seventh, aloneMs: alone.ms, slots: PLATFORM_SLOTS, hanging };
};

/** As many dials as the platform has slots hang in loopbacks until these return: when one of the object's own opens after that. */
export const loopbackSlots: Measure = async (bench) => {
  const { open, blackHole: target } = bench.request.targets;
  const alone = await dialOnce(bench, open);
  if (alone.outcome !== "opened") return { aloneOutcome: alone.outcome, aloneMs: alone.ms };
  const question = questionOf("TCP", target, "", LOOPBACK_TIMEOUT_MS);
  const asked = Array.from({ length: PLATFORM_SLOTS }, () => bench.probeInLoopback(question));
  const hung = (await Promise.all(asked)).filter(({ reason }) => reason === "ConnectTimeout").length;
  const after = await dialOnce(bench, open, HELD_LIMIT_MS);
  return { ...after, aloneMs: alone.ms, slots: PLATFORM_SLOTS, hung };
};

/** Our own TLS client, in a loopback invocation, with a name to an address. */
export const tls: Measure = async (bench) => {
  const { tls: target, tlsHost } = bench.request.targets;
  const {
    reason,
    message,
    phases,
    tls: session,
  } = await bench.probeInLoopback(questionOf("HTTPS", target, tlsHost, DIAL_LIMIT_MS));
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
  if (plain.outcome !== "opened") return { aloneOutcome: plain.outcome, aloneMs: plain.ms };
  await bench.storage.put("self-test", Date.now());
  const afterWrite = await dialOnce(bench, open);
  const writtenAt = Date.now();
  await bench.storage.put("self-test", writtenAt);
  await bench.storage.sync();
  const syncMs = Date.now() - writtenAt;
  return { outcome: afterWrite.outcome, plainMs: plain.ms, afterWriteMs: afterWrite.ms, syncMs };
};
