import type { SocketAddress } from "../../shared/model/socket-address.ts";
import {
  DIAL_LIMIT_MS,
  dialOnce,
  drop,
  hangDials,
  type Measure,
  outcomeOf,
  PLATFORM_SLOTS,
  probeRequest,
} from "./bench.ts";

/** A live address in Cloudflare's own network. So a failed dial is the platform's refusal. */
const CLOUDFLARE_RESOLVER: SocketAddress = { address: "1.1.1.1", port: 443 };

/** Watch time of a black-holed dial. The platform is said to give up after 21 s. */
const HELD_LIMIT_MS = 40_000;
const LOOPBACK_TIMEOUT_MS = 2_000;

export const closedPort: Measure = async (bench) => ({ ...(await dialOnce(bench, bench.request.targets.closedPort)) });

/** Shows how the platform refuses Cloudflare's own addresses. */
export const cloudflareAddress: Measure = async (bench) => ({ ...(await dialOnce(bench, CLOUDFLARE_RESOLVER)) });

export const ipv6: Measure = async (bench) => ({ ...(await dialOnce(bench, bench.request.targets.ipv6)) });

/** A loopback invocation probes the black hole. It must return at its deadline. */
export const blackHole: Measure = async (bench) => {
  const startedAt = Date.now();
  const request = probeRequest("TCP", bench.request.targets.blackHole, "", LOOPBACK_TIMEOUT_MS);
  const { reason } = await bench.probeInLoopback(request);
  return { reason, timeoutMs: LOOPBACK_TIMEOUT_MS, returnedMs: Date.now() - startedAt };
};

/**
 * Measures how long the platform holds a socket of the object that dials the black hole and is closed at once. A second socket stays
 * open, to tell a cancelled dial from one that ended by itself.
 */
export const blackHoleHeld: Measure = async (bench) => {
  const beside = hangDials(bench, 1);
  const connection = bench.dial(bench.request.targets.blackHole);
  drop(connection);
  const closed = await outcomeOf(connection, HELD_LIMIT_MS);
  const otherHangs = beside.count() === 1;
  beside.drop();
  return { ...closed, otherHangs };
};

/** Dials an open port while hanging dials hold all of the platform's slots. */
export const seventhDial: Measure = async (bench) => {
  const { open } = bench.request.targets;
  const alone = await dialOnce(bench, open);
  if (alone.outcome !== "opened") return { aloneOutcome: alone.outcome, aloneMs: alone.ms };
  const hangingDials = hangDials(bench, PLATFORM_SLOTS);
  const seventh = await dialOnce(bench, open, HELD_LIMIT_MS);
  const hanging = hangingDials.count();
  hangingDials.drop();
  return { ...seventh, aloneMs: alone.ms, slots: PLATFORM_SLOTS, hanging };
};

/** Fills all slots with loopbacks whose dials hang. Measures when the object's own dial opens after they have returned. */
export const loopbackSlots: Measure = async (bench) => {
  const { open, blackHole: target } = bench.request.targets;
  const alone = await dialOnce(bench, open);
  if (alone.outcome !== "opened") return { aloneOutcome: alone.outcome, aloneMs: alone.ms };
  const request = probeRequest("TCP", target, "", LOOPBACK_TIMEOUT_MS);
  const asked = Array.from({ length: PLATFORM_SLOTS }, () => bench.probeInLoopback(request));
  const hung = (await Promise.all(asked)).filter(({ reason }) => reason === "ConnectTimeout").length;
  const after = await dialOnce(bench, open, HELD_LIMIT_MS);
  return { ...after, aloneMs: alone.ms, slots: PLATFORM_SLOTS, hung };
};

/** Runs our TLS client in a loopback invocation: it dials an address and sends a host name. */
export const tls: Measure = async (bench) => {
  const { tls: target, tlsHost } = bench.request.targets;
  const {
    reason,
    message,
    phases,
    tls: session,
  } = await bench.probeInLoopback(probeRequest("HTTPS", target, tlsHost, DIAL_LIMIT_MS));
  return {
    reason,
    ...(message !== undefined && { message }),
    ...(session && { version: session.version, cipherSuite: session.cipherSuite }),
    ...(phases.connectMs !== undefined && { connectMs: phases.connectMs }),
    ...(phases.tlsMs !== undefined && { tlsMs: phases.tlsMs }),
  };
};

/** Measures how much a preceding write delays a dial. */
export const outputGate: Measure = async (bench) => {
  const { open } = bench.request.targets;
  const plain = await dialOnce(bench, open);
  if (plain.outcome !== "opened") return { aloneOutcome: plain.outcome, aloneMs: plain.ms };
  await bench.storage.put("measured", Date.now());
  const afterWrite = await dialOnce(bench, open);
  const writtenAt = Date.now();
  await bench.storage.put("measured", writtenAt);
  await bench.storage.sync();
  const syncMs = Date.now() - writtenAt;
  return { outcome: afterWrite.outcome, plainMs: plain.ms, afterWriteMs: afterWrite.ms, syncMs };
};
