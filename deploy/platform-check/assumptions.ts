import { assumed, type Finding, ms, notAccepting, notBlackHole, num, otherwise, unknown } from "./finding.ts";
import { loopbackDials } from "./judge-loopback-dials.ts";
import type { Figures, Measurement } from "./protocol.ts";

interface Assumption {
  /** What the design assumes: docs/platform.md. */
  expected: string;
  /** `dialsTogether` is the value of that setting. */
  judge: (figures: Figures, dialsTogether: number) => Finding;
}

const FAILED_DIAL = "cannot connect to the specified address";
/** A refusal from the far side of the world comes within this time. A black hole gives none. */
const AT_ONCE_MS = 3_000;
/** How long the platform is said to hold an unanswered dial. */
const HELD_MS = { least: 15_000, most: 30_000 };
const LOOPBACKS_DOCUMENTED = 32;
const STILL_HANGING = "Dials of a former run still hang, or --open is far away. Run it again in a minute.";
const LATE_ALARM =
  "Add that to the time a failover takes. Run it again: at a fail-over of the platform's own they are late for a while.";
const READ_CPU = "What is billed only Cloudflare shows: docs/cost.md, “CPU time”.";

/** What the design assumes of the platform, how a measurement proves it, and what to do where it does not. */
export const ASSUMPTIONS: Record<Exclude<Measurement, "placement">, Assumption> = {
  "closed-port": {
    expected: `fails at once: “… ${FAILED_DIAL}”`,
    judge: ({ outcome, ms: took }) => {
      const found = `${outcome}, ${ms(took)}`;
      if (outcome === "opened" || outcome === "pending" || num(took) > AT_ONCE_MS) {
        return unknown(found, "That is no closed port. Give one that refuses connections with --closed-port.");
      }
      if (`${outcome}`.includes(FAILED_DIAL)) return assumed(found);
      return otherwise(found, "Nothing to set: every dial that fails is ConnectFailed. Correct docs/platform.md.");
    },
  },
  "cloudflare-address": {
    expected: "is refused, as a closed port is",
    judge: ({ outcome, ms: took }) => {
      const found = `${outcome}, ${ms(took)}`;
      if (outcome === "opened") {
        return otherwise(
          found,
          "Cloudflare's own addresses can be dialled: shared/probeable.ts need not keep them out.",
        );
      }
      if (outcome !== "pending") return assumed(found);
      return otherwise(
        found,
        "Nothing to set: such addresses are never dialled (shared/probeable.ts). Correct docs/platform.md.",
      );
    },
  },
  "black-hole": {
    expected: "a loopback gives up with its deadline",
    judge: ({ reason, timeoutMs, returnedMs }) => {
      const found = `${reason} after ${ms(returnedMs)} of ${ms(timeoutMs)}`;
      if (reason !== "ConnectTimeout") return notBlackHole(found);
      if (num(returnedMs) < num(timeoutMs) + 1_000) return assumed(found);
      return otherwise(
        found,
        "Loopbacks do not come back in time: LOOPBACK_GRACE_MS in workers/prober/dial/dialer.ts.",
      );
    },
  },
  "black-hole-held": {
    expected: "an own socket is held for some 21 s, though closed at once",
    judge: ({ outcome, ms: took, otherHangs }) => {
      const found = outcome === "pending" ? `held for more than ${ms(took)}` : `held for ${ms(took)}: ${outcome}`;
      // One that was not closed is over by then as well: it was not the closing that ended it.
      if (outcome === "opened" || (num(took) < HELD_MS.least && otherHangs === false)) return notBlackHole(found);
      if (num(took) >= HELD_MS.least && num(took) <= HELD_MS.most) return assumed(found);
      if (num(took) > HELD_MS.most) {
        return otherwise(
          found,
          "Fewer dials may be pending on the object's own sockets: MAX_OWN_SOCKETS in workers/prober/dial/dialer.ts.",
        );
      }
      return otherwise(
        found,
        "A dial can be cancelled: suspects may need no loopback. Look first whether its slot comes back as soon: docs/platform.md.",
      );
    },
  },
  "seventh-dial": {
    expected: "waits until one of six that hang is over",
    judge: ({ outcome, ms: took, aloneOutcome, aloneMs, slots, hanging }) => {
      if (aloneOutcome !== undefined) return notAccepting(aloneOutcome, aloneMs);
      const found = `${outcome} after ${ms(took)}; alone after ${ms(aloneMs)}`;
      if (num(aloneMs) > AT_ONCE_MS) return unknown(found, STILL_HANGING);
      if (outcome !== "opened" && outcome !== "pending") return notAccepting(outcome, took);
      if (num(took) > num(aloneMs) + AT_ONCE_MS) return assumed(found);
      if (num(hanging) < num(slots)) return notBlackHole(found);
      return otherwise(
        found,
        "Six dials that hang hold up no seventh: more slots are to be had in workers/prober/dial/slots.ts.",
      );
    },
  },
  "loopback-slots": {
    expected: "a slot is free as soon as the loopback whose dial hung in it has returned",
    judge: ({ outcome, ms: took, aloneOutcome, aloneMs, slots, hung }) => {
      if (aloneOutcome !== undefined) return notAccepting(aloneOutcome, aloneMs);
      const found = `after ${hung} loopbacks that hung: ${outcome} after ${ms(took)}; alone after ${ms(aloneMs)}`;
      if (num(hung) < num(slots)) return notBlackHole(found);
      if (num(aloneMs) > AT_ONCE_MS) return unknown(found, STILL_HANGING);
      if (outcome !== "opened" && outcome !== "pending") return notAccepting(outcome, took);
      if (num(took) <= num(aloneMs) + 1_000) return assumed(found);
      return otherwise(
        found,
        "A suspect that hangs keeps its slot some 20 s, and healthy addresses wait behind it and look like timeouts: lower MAX_SUSPECTS in shared/model/messages/assignment.ts to 1, and look at late rounds.",
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
        "A round with more suspects uses the object's own sockets: put fewer probes on a shard, workers/coordinator/place/shards.ts.",
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
        "This region has no way to IPv6 (or --ipv6 does not answer): leaves with such addresses are indeterminate from there.",
      );
    },
  },
  tls: {
    expected: "our client's handshake with a name, to an address on 443",
    judge: ({ reason, message, version, cipherSuite, connectMs, tlsMs }) => {
      if (tlsMs !== undefined && reason === "Ok") return assumed(`${version} ${cipherSuite}, ${ms(tlsMs)}`);
      const found = `${reason}: ${message}`;
      if (connectMs === undefined) return unknown(found, "Nothing was reached there. Give another server with --tls.");
      return otherwise(
        found,
        "HTTPS probes do not work from here, or --tls and --tls-host do not fit each other, or it speaks no HTTP/1.1.",
      );
    },
  },
  "key-exchange": {
    expected: "agrees, whichever way round the runtime takes the keys",
    judge: ({ agrees, swapped }) => {
      const found = `${agrees ? "agrees" : "does not agree"}, keys ${swapped ? "swapped" : "as documented"}`;
      if (agrees === true) return assumed(found);
      return otherwise(
        found,
        "HTTPS probes fail: workers/prober/tls/key-share.ts has the way round the runtime's fault.",
      );
    },
  },
  cpu: {
    expected: "a key exchange takes 1 ms at most",
    judge: ({ exchangeMs, workMs, seenInsideMs, exchanges }) => {
      const clock = num(seenInsideMs) === 0 ? "stands still" : `moves (${ms(seenInsideMs)})`;
      const found = `${ms(exchangeMs)} at most, of ${exchanges}; the clock ${clock}`;
      if (workMs === 0) return unknown(found, `The clock did not move between two calls either. ${READ_CPU}`);
      if (num(exchangeMs) <= 1) return assumed(found);
      return otherwise(found, `Handshakes cost more than reckoned. ${READ_CPU}`);
    },
  },
  alarms: {
    expected: "come within a second",
    judge: ({ set, came, medianLateMs, worstLateMs }) => {
      if (came !== set)
        return otherwise(
          `${came} of ${set} came`,
          "Alarms get lost: rounds wait for the heartbeat of each minute. Run it again.",
        );
      const found = `${ms(medianLateMs)} late, ${ms(worstLateMs)} at worst`;
      return num(worstLateMs) <= 1_000 ? assumed(found) : otherwise(found, LATE_ALARM);
    },
  },
  "waking-alarm": {
    expected: "comes within a second, though the object sleeps",
    judge: ({ idleMs, lateMs, slept, limitMs }) => {
      if (lateMs === undefined) return otherwise(`has not come within ${ms(limitMs)}`, LATE_ALARM);
      const found = `${ms(lateMs)} late, after ${ms(idleMs)}; the object ${slept ? "slept" : "did not sleep"}`;
      if (num(lateMs) > 1_000) return otherwise(found, LATE_ALARM);
      return slept === true ? assumed(found) : unknown(found, "Run it again with a longer --idle.");
    },
  },
  "output-gate": {
    expected: "a dial after a write waits for it, 100 ms at most",
    judge: ({ outcome, plainMs, afterWriteMs, syncMs, aloneOutcome, aloneMs }) => {
      if (aloneOutcome !== undefined) return notAccepting(aloneOutcome, aloneMs);
      const found = `${ms(plainMs)} without, ${ms(afterWriteMs)} with a write, which takes ${ms(syncMs)}`;
      if (outcome !== "opened") return notAccepting(outcome, afterWriteMs);
      if (num(afterWriteMs) - num(plainMs) <= 100 && num(syncMs) <= 100) return assumed(found);
      return otherwise(
        found,
        "Writes are slow here: a round's write must stay clear of its dials, as it does. Run it again.",
      );
    },
  },
  rows: {
    expected: "1 row for an insert, 1 more for its index",
    judge: ({ plainInsert, indexedInsert, indexedReplace }) => {
      const found = `${plainInsert} plain, ${indexedInsert} with an index, ${indexedReplace} to replace one with an index`;
      if (plainInsert === 1 && indexedInsert === 2) return assumed(found);
      return otherwise(found, "What is billed is not what docs/cost.md reckons with.");
    },
  },
  hibernation: {
    expected: "memory is lost, and a ping answered without waking",
    judge: ({ idleMs, memoryLost, pongMs, pingWokeIt, answeredByPlatform }) => {
      if (memoryLost !== true) {
        return otherwise(
          `memory kept over ${ms(idleMs)}`,
          "An object that stays is billed while it is idle. Run it again with a longer --idle.",
        );
      }
      if (pongMs === undefined) {
        return otherwise(
          `memory lost within ${ms(idleMs)}; no pong`,
          "Pings of a viewer go unanswered while a coordinator sleeps: /v1/live breaks off and is opened anew.",
        );
      }
      const found = `memory lost within ${ms(idleMs)}; pong after ${ms(pongMs)}, ${pingWokeIt ? "woken by it" : "not woken"}`;
      if (pingWokeIt === false && answeredByPlatform === true) return assumed(found);
      return otherwise(found, "Each ping of a viewer wakes a coordinator: watch what /v1/live costs.");
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
        otherwise(`${colo}, as ${sharing.join(", ")}`, "They are one place: let a health check name one of them only."),
      );
  }
  return findings;
}
