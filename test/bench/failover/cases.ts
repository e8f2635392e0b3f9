import { stringify } from "yaml";
import { formatDurationMs } from "../../../shared/model/duration.ts";
import { type HealthCheck, healthCheck } from "../../../shared/model/health-check.ts";
import { REGIONS } from "../../../shared/model/region.ts";

/** Ways to fail, with what each looks like from outside. */
export const FAULTS = {
  refuse: "refuses connections",
  hang: "accepts, never answers",
  blackHole: "leaves dials unanswered",
  status: "answers 500",
  misnamed: "certificate of another",
} as const;
export type Fault = keyof typeof FAULTS;
const ALL_FAULTS = Object.keys(FAULTS) as Fault[];

/** What is compared: each combination is a line of the table. Quorum is the majority. */
export interface Case {
  intervalMs: number;
  failureThreshold: number;
  regions: number;
  /** Whether failures are confirmed at shorter intervals. */
  burst: boolean;
}

/** One endpoint that is to fail and return, in a record of its own beside one that never fails. */
export interface Subject {
  case: Case;
  fault: Fault;
  rootHost: string;
  address: string;
  check: HealthCheck;
  /** The record as its owner would write it. */
  manifest: string;
}

const THRESHOLDS = [0, 2, 5];
const REGION_COUNTS = [1, 3];
/** The one that has a goal of its own is tried more often: endpoints for each fault. */
const OFTEN = 8;

export const isMainBurst = ({ intervalMs, failureThreshold, regions, burst }: Case): boolean =>
  burst && intervalMs === 30_000 && failureThreshold === 2 && regions === 3;

/** The endpoints of an interval, one for each case and fault. */
export function subjectsOf(intervalMs: number, port: number): Subject[] {
  const cases = THRESHOLDS.flatMap((failureThreshold) =>
    REGION_COUNTS.flatMap((regions) =>
      [true, false].map((burst): Case => ({ intervalMs, failureThreshold, regions, burst })),
    ),
  );
  const wanted = cases.flatMap((one) =>
    Array.from({ length: isMainBurst(one) ? OFTEN : 1 }, () =>
      ALL_FAULTS.map((fault) => ({ case: one, fault })),
    ).flat(),
  );
  return wanted.map((one, place) => subjectOf(one, place, port));
}

const steady = (network: number) => Array.from({ length: 16 }, (_, place) => `127.9.${network}.${place + 1}`);

/** Addresses of gateways that never fail, by what they speak. */
export const STEADY = { HTTP: steady(0), HTTPS: steady(1) } as const;

function subjectOf(one: Pick<Subject, "case" | "fault">, place: number, port: number): Subject {
  const { intervalMs, failureThreshold, regions, burst } = one.case;
  const seconds = intervalMs / 1_000;
  const protocol = one.fault === "misnamed" ? "HTTPS" : "HTTP";
  const check = {
    protocol,
    port,
    interval: `${seconds}s`,
    timeout: formatDurationMs(Math.min(5_000, intervalMs / 2)),
    ...(!burst && { confirmInterval: `${seconds}s` }),
    failureThreshold,
    successThreshold: 2,
    regions: regionsOf(regions, place),
    quorum: "Majority",
  };
  const rootHost = `e${place}.i${seconds}.test`;
  const address = `127.10.${seconds}.${place + 1}`;
  const others = STEADY[protocol];
  const targets = [address, others[place % others.length]];
  const manifest = stringify({
    apiVersion: "vedette.dev/v1alpha1",
    kind: "DNSRecord",
    metadata: { name: `e${place}`, namespace: `i${seconds}` },
    spec: {
      rootHost,
      endpoints: [{ dnsName: rootHost, recordType: "A", recordTTL: 5, targets }],
      healthCheck: check,
    },
  });
  return { ...one, rootHost, address, check: healthCheck.parse(check), manifest };
}

const TRIPLES = REGIONS.flatMap((one, first) =>
  REGIONS.slice(first + 1).flatMap((other, second) =>
    REGIONS.slice(first + second + 2).map((third) => [one, other, third]),
  ),
);
/** Prime to the number of triples, so that neighbours share no shard. */
const STRIDE = 31;

/**
 * Records with other regions are in other shards. Their endpoints fail seldom. They must not share a shard's slots and
 * confirmation budget with other failing ones.
 */
function regionsOf(count: number, place: number): string[] {
  if (count === 1) return [REGIONS[place % REGIONS.length]!];
  return TRIPLES[(place * STRIDE) % TRIPLES.length]!;
}

/** The longest that a failing endpoint may be looked at until it is out: interval × (failureThreshold + 1) + timeout, ms. */
export const boundMs = ({ intervalMs, failureThreshold, timeoutMs }: HealthCheck): number =>
  intervalMs * (failureThreshold + 1) + timeoutMs;

/** And one that is well again until it is back: interval × successThreshold + timeout, ms. */
export const returnBoundMs = ({ intervalMs, successThreshold, timeoutMs }: HealthCheck): number =>
  intervalMs * successThreshold + timeoutMs;

/** How long a failure, and the return from it, may take where all goes as it should, with the waiting before each; ms. */
export function cycleMs({ check, case: { burst } }: Subject): number {
  const { intervalMs, confirmIntervalMs, timeoutMs, failureThreshold, successThreshold } = check;
  const stepMs = Math.max(confirmIntervalMs, timeoutMs);
  const outMs = burst ? intervalMs + failureThreshold * stepMs + timeoutMs : boundMs(check);
  const backMs = burst ? intervalMs + successThreshold * confirmIntervalMs : returnBoundMs(check);
  return intervalMs + outMs + intervalMs + backMs;
}
