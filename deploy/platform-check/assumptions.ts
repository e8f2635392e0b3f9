import { assumed, type Finding, ms, notAccepting, notBlackHole, num, otherwise, unknown } from "./finding.ts";
import { loopbackDials } from "./judge-loopback-dials.ts";
import type { Figures, Measurement } from "./protocol.ts";

interface Assumption {
  /** The assumptions of the design: docs/platform.md. */
  expected: string;
  /** `dialsTogether` is the value of that setting. */
  judge: (figures: Figures, dialsTogether: number) => Finding;
}

const FAILED_DIAL = "cannot connect to the specified address";
/** A refusal from the far side of the world comes within this time. A black hole never refuses. */
const AT_ONCE_MS = 3_000;
/** How long the platform reportedly holds an unanswered dial. */
const HELD_MS = { least: 15_000, most: 30_000 };
const LOOPBACKS_DOCUMENTED = 32;
const STILL_HANGING = "Dials of an earlier run still hang, or --open is far away. Run this again in a minute.";
const LATE_ALARM =
  "Add this delay to the failover time. Run this again: alarms are late while the platform itself fails over.";
const READ_CPU = "Only Cloudflare shows the billed time: docs/cost.md, “CPU time”.";

/** What the design assumes of the platform, how a measurement proves it, and what to do where it does not. */
export const ASSUMPTIONS: Record<Exclude<Measurement, "placement">, Assumption> = {
  "closed-port": {
    expected: `fails at once: “… ${FAILED_DIAL}”`,
    judge: ({ outcome, ms: took }) => {
      const found = `${outcome}, ${ms(took)}`;
      if (outcome === "opened" || outcome === "pending" || num(took) > AT_ONCE_MS) {
        return unknown(found, "The port is not closed. Set a port that refuses connections with --closed-port.");
      }
      if (`${outcome}`.includes(FAILED_DIAL)) return assumed(found);
      return otherwise(found, "No setting changes: every failed dial is ConnectFailed. Correct docs/platform.md.");
    },
  },
  "cloudflare-address": {
    expected: "is refused like a closed port",
    judge: ({ outcome, ms: took }) => {
      const found = `${outcome}, ${ms(took)}`;
      if (outcome === "opened") {
        return otherwise(
          found,
          "Cloudflare's own addresses can be dialled: shared/probeable.ts need not exclude them.",
        );
      }
      if (outcome !== "pending") return assumed(found);
      return otherwise(
        found,
        "No setting changes: such addresses are never dialled (shared/probeable.ts). Correct docs/platform.md.",
      );
    },
  },
  "black-hole": {
    expected: "a loopback returns at its deadline",
    judge: ({ reason, timeoutMs, returnedMs }) => {
      const found = `${reason} after ${ms(returnedMs)} of ${ms(timeoutMs)}`;
      if (reason !== "ConnectTimeout") return notBlackHole(found);
      if (num(returnedMs) < num(timeoutMs) + 1_000) return assumed(found);
      return otherwise(found, "Loopbacks return too late: raise LOOPBACK_GRACE_MS in workers/prober/dial/dialer.ts.");
    },
  },
  "black-hole-held": {
    expected: "the object's own socket is held for about 21 s, even if it is closed at once",
    judge: ({ outcome, ms: took, otherHangs }) => {
      const found = outcome === "pending" ? `held for more than ${ms(took)}` : `held for ${ms(took)}: ${outcome}`;
      // The control socket, which was not closed, has ended too. So the close did not end the dial.
      if (outcome === "opened" || (num(took) < HELD_MS.least && otherHangs === false)) return notBlackHole(found);
      if (num(took) >= HELD_MS.least && num(took) <= HELD_MS.most) return assumed(found);
      if (num(took) > HELD_MS.most) {
        return otherwise(
          found,
          "The object's own sockets allow fewer pending dials: lower MAX_OWN_SOCKETS in workers/prober/dial/dialer.ts.",
        );
      }
      return otherwise(
        found,
        "A dial can be cancelled, so suspects may need no loopback. First check that the slot is free as soon: docs/platform.md.",
      );
    },
  },
  "seventh-dial": {
    expected: "waits until one of six hanging dials ends",
    judge: ({ outcome, ms: took, aloneOutcome, aloneMs, slots, hanging }) => {
      if (aloneOutcome !== undefined) return notAccepting(aloneOutcome, aloneMs);
      const found = `${outcome} after ${ms(took)}; alone after ${ms(aloneMs)}`;
      if (num(aloneMs) > AT_ONCE_MS) return unknown(found, STILL_HANGING);
      if (outcome !== "opened" && outcome !== "pending") return notAccepting(outcome, took);
      if (num(took) > num(aloneMs) + AT_ONCE_MS) return assumed(found);
      if (num(hanging) < num(slots)) return notBlackHole(found);
      return otherwise(
        found,
        "Six hanging dials do not block a seventh: workers/prober/dial/slots.ts can have more slots.",
      );
    },
  },
  "loopback-slots": {
    expected: "a slot is free as soon as the loopback of its hanging dial returns",
    judge: ({ outcome, ms: took, aloneOutcome, aloneMs, slots, hung }) => {
      if (aloneOutcome !== undefined) return notAccepting(aloneOutcome, aloneMs);
      const found = `after ${hung} hanging loopbacks: ${outcome} after ${ms(took)}; alone after ${ms(aloneMs)}`;
      if (num(hung) < num(slots)) return notBlackHole(found);
      if (num(aloneMs) > AT_ONCE_MS) return unknown(found, STILL_HANGING);
      if (outcome !== "opened" && outcome !== "pending") return notAccepting(outcome, took);
      if (num(took) <= num(aloneMs) + 1_000) return assumed(found);
      return otherwise(
        found,
        "A hanging suspect keeps its slot for about 20 s. Healthy addresses wait and time out. Lower MAX_SUSPECTS in shared/model/messages/assignment.ts to 1, and watch for late rounds.",
      );
    },
  },
  "loopback-dials": loopbackDials,
  loopbacks: {
    expected: `${LOOPBACKS_DOCUMENTED} or more in one alarm`,
    judge: ({ made, tried, refusal }) => {
      const found = refusal === undefined ? `${made} of ${tried}` : `${made} of ${tried}, then: ${refusal}`;
      if (num(made) >= LOOPBACKS_DOCUMENTED) return assumed(found);
      return otherwise(
        found,
        "A round with more suspects uses the object's own sockets. Put fewer probes on a shard: workers/coordinator/place/shards.ts.",
      );
    },
  },
  ipv6: {
    expected: "opens",
    judge: ({ outcome, ms: took }) => {
      const found = `${outcome}, ${ms(took)}`;
      if (outcome === "opened") return assumed(found);
      return otherwise(
        found,
        "This region cannot reach IPv6, or --ipv6 does not answer. Leaves with IPv6 addresses are indeterminate from there.",
      );
    },
  },
  tls: {
    expected: "our client's handshake with a name, to an address on 443",
    judge: ({ reason, message, version, cipherSuite, connectMs, tlsMs }) => {
      if (tlsMs !== undefined && reason === "Ok") return assumed(`${version} ${cipherSuite}, ${ms(tlsMs)}`);
      const found = `${reason}: ${message}`;
      if (connectMs === undefined) return unknown(found, "The server was not reached. Set another one with --tls.");
      return otherwise(
        found,
        "HTTPS probes do not work from here, --tls-host does not match --tls, or the server does not speak HTTP/1.1.",
      );
    },
  },
  "key-exchange": {
    expected: "agrees, whatever the order in which the runtime takes the keys",
    judge: ({ agrees, swapped }) => {
      const found = `${agrees ? "agrees" : "does not agree"}, keys ${swapped ? "swapped" : "as documented"}`;
      if (agrees === true) return assumed(found);
      return otherwise(
        found,
        "HTTPS probes fail. The workaround for the runtime's fault is in workers/prober/tls/key-share.ts.",
      );
    },
  },
  cpu: {
    expected: "a key exchange takes at most 1 ms",
    judge: ({ exchangeMs, workMs, seenInsideMs, exchanges }) => {
      const clock = num(seenInsideMs) === 0 ? "stands still" : `moves (${ms(seenInsideMs)})`;
      const found = `${ms(exchangeMs)} at most, of ${exchanges}; the clock ${clock}`;
      if (workMs === 0) return unknown(found, `The clock did not move between two calls either. ${READ_CPU}`);
      if (num(exchangeMs) <= 1) return assumed(found);
      return otherwise(found, `Handshakes cost more than estimated. ${READ_CPU}`);
    },
  },
  alarms: {
    expected: "come within a second",
    judge: ({ set, came, medianLateMs, worstLateMs }) => {
      if (came !== set)
        return otherwise(
          `${came} of ${set} came`,
          "Alarms get lost, so rounds wait for the heartbeat of each minute. Run this again.",
        );
      const found = `${ms(medianLateMs)} late, ${ms(worstLateMs)} at worst`;
      return num(worstLateMs) <= 1_000 ? assumed(found) : otherwise(found, LATE_ALARM);
    },
  },
  "waking-alarm": {
    expected: "comes within a second, even if the object sleeps",
    judge: ({ idleMs, lateMs, slept, limitMs }) => {
      if (lateMs === undefined) return otherwise(`has not come within ${ms(limitMs)}`, LATE_ALARM);
      const found = `${ms(lateMs)} late, after ${ms(idleMs)}; the object ${slept ? "slept" : "did not sleep"}`;
      if (num(lateMs) > 1_000) return otherwise(found, LATE_ALARM);
      return slept === true ? assumed(found) : unknown(found, "Run this again with a longer --idle.");
    },
  },
  "output-gate": {
    expected: "a dial after a write waits for it, at most 100 ms",
    judge: ({ outcome, plainMs, afterWriteMs, syncMs, aloneOutcome, aloneMs }) => {
      if (aloneOutcome !== undefined) return notAccepting(aloneOutcome, aloneMs);
      const found = `${ms(plainMs)} without, ${ms(afterWriteMs)} with a write, which takes ${ms(syncMs)}`;
      if (outcome !== "opened") return notAccepting(outcome, afterWriteMs);
      if (num(afterWriteMs) - num(plainMs) <= 100 && num(syncMs) <= 100) return assumed(found);
      return otherwise(
        found,
        "Writes are slow here. A round must keep its write apart from its dials, as it does now. Run this again.",
      );
    },
  },
  rows: {
    expected: "1 row for an insert, 1 more for its index",
    judge: ({ plainInsert, indexedInsert, indexedReplace }) => {
      const found = `${plainInsert} plain, ${indexedInsert} with an index, ${indexedReplace} to replace one with an index`;
      if (plainInsert === 1 && indexedInsert === 2) return assumed(found);
      return otherwise(found, "The billed rows differ from those in docs/cost.md.");
    },
  },
  hibernation: {
    expected: "memory is lost, and a ping is answered without a wake-up",
    judge: ({ idleMs, memoryLost, pongMs, pingWokeIt, answeredByPlatform }) => {
      if (memoryLost !== true) {
        return otherwise(
          `memory kept over ${ms(idleMs)}`,
          "An object that stays in memory is billed while idle. Run this again with a longer --idle.",
        );
      }
      if (pongMs === undefined) {
        return otherwise(
          `memory lost within ${ms(idleMs)}; no pong`,
          "A viewer's pings get no pong while a coordinator sleeps: /v1/live disconnects and reconnects.",
        );
      }
      const found = `memory lost within ${ms(idleMs)}; pong after ${ms(pongMs)}, ${pingWokeIt ? "woken by it" : "not woken"}`;
      if (pingWokeIt === false && answeredByPlatform === true) return assumed(found);
      return otherwise(found, "Each ping of a viewer wakes a coordinator. Watch the cost of /v1/live.");
    },
  },
};

/** Judges where the objects of the regions landed. A data centre is undefined if unknown. */
export function judgePlacement(colos: ReadonlyMap<string, string | undefined>): Map<string, Finding> {
  const findings = new Map<string, Finding>();
  for (const [region, colo] of colos) {
    const sharing = [...colos].filter(([other, its]) => other !== region && its === colo).map(([other]) => other);
    if (colo === undefined) findings.set(region, unknown("?", "COLO_URL is empty or does not answer."));
    else if (sharing.length === 0) findings.set(region, assumed(colo));
    else
      findings.set(
        region,
        otherwise(
          `${colo}, as ${sharing.join(", ")}`,
          "They are in one place. Use only one of them in a health check.",
        ),
      );
  }
  return findings;
}
