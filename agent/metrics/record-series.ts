import { Counter, Gauge, type Registry } from "prom-client";

/** What is shown of a record; the records of the agent's state are such. */
export interface RecordSample {
  status: {
    conditions: readonly { type: string; status: string }[];
    leaves: readonly { published: boolean }[];
    probes: readonly { leaf: string; verdict: string; consecutiveFailures: number }[];
  };
}

/** By `namespace/name`. */
export type RecordSamples = Readonly<Record<string, RecordSample>>;

const VERDICTS = ["healthy", "unhealthy", "pending", "unknown"] as const;
type Verdict = (typeof VERDICTS)[number];

/**
 * A record costs two series for its endpoints and one for each verdict that its probes can turn to, a probe two more.
 */
const SERIES_A_RECORD = 2 + VERDICTS.length;
const SERIES_A_PROBE = 2;

/**
 * The series of records and probes. All series of one record are exported together or not at all, within `maxSeries`,
 * by name. Dropped series are counted, and the totals cover everything.
 */
export class RecordSeries {
  readonly #maxSeries: number;
  readonly #gauges: ReturnType<typeof makeGauges>;
  readonly #transitions: Counter<"namespace" | "record" | "to">;
  #records: RecordSamples = {};
  #shown: ReadonlySet<string> = new Set();
  /** Undefined until something was shown: what stands then is no transition. */
  #verdicts: ReadonlyMap<string, Verdict> | undefined;

  constructor(registry: Registry, maxSeries: number) {
    this.#maxSeries = maxSeries;
    this.#gauges = makeGauges(registry);
    this.#transitions = new Counter({
      name: "vedette_probe_transitions_total",
      help: "Changes of a probe's verdict, by the verdict it changed to.",
      labelNames: ["namespace", "record", "to"],
      registers: [registry],
    });
  }

  /** Takes the records as they are now, and counts the verdicts that changed since the last time. */
  setRecords(records: RecordSamples): void {
    this.#records = records;
    const before = this.#shown;
    this.#shown = this.#choose(records);
    for (const key of before.difference(this.#shown)) {
      for (const to of VERDICTS) this.#transitions.remove({ ...labelsOf(key), to });
    }
    for (const key of this.#shown.difference(before)) {
      // From zero on, so that the first change is an increase.
      for (const to of VERDICTS) this.#transitions.inc({ ...labelsOf(key), to }, 0);
    }
    this.#countTransitions(records);
  }

  /** This process does not follow the records any more: their series go. */
  clear(): void {
    this.setRecords({});
    this.#verdicts = undefined;
  }

  /** Sets the gauges, for a scrape. */
  collect(): void {
    for (const gauge of Object.values(this.#gauges)) gauge.reset();
    const { conditions, probes, leftOut } = this.#gauges;
    for (const verdict of VERDICTS) probes.set({ verdict }, 0);
    leftOut.set({ kind: "record" }, 0);
    leftOut.set({ kind: "probe" }, 0);
    for (const [key, { status }] of Object.entries(this.#records)) {
      for (const { type, status: word } of status.conditions) conditions.inc({ condition: type, status: word });
      for (const { verdict } of status.probes) probes.inc({ verdict: verdictOf(verdict) });
      if (this.#shown.has(key)) this.#fillRecord(key, status);
      else {
        leftOut.inc({ kind: "record" });
        leftOut.inc({ kind: "probe" }, status.probes.length);
      }
    }
  }

  #fillRecord(key: string, { leaves, probes }: RecordSample["status"]): void {
    const labels = labelsOf(key);
    const published = leaves.filter((leaf) => leaf.published).length;
    this.#gauges.endpoints.set({ ...labels, state: "published" }, published);
    this.#gauges.endpoints.set({ ...labels, state: "withheld" }, leaves.length - published);
    for (const { leaf: address, verdict, consecutiveFailures } of probes) {
      const isHealthy = { healthy: 1, unhealthy: 0, pending: undefined, unknown: undefined }[verdictOf(verdict)];
      if (isHealthy !== undefined) this.#gauges.healthy.set({ ...labels, address }, isHealthy);
      this.#gauges.failures.set({ ...labels, address }, consecutiveFailures);
    }
  }

  #choose(records: RecordSamples): ReadonlySet<string> {
    const shown = new Set<string>();
    let left = this.#maxSeries;
    for (const [key, { status }] of Object.entries(records).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const cost = SERIES_A_RECORD + SERIES_A_PROBE * status.probes.length;
      if (cost > left) continue;
      left -= cost;
      shown.add(key);
    }
    return shown;
  }

  #countTransitions(records: RecordSamples): void {
    const verdicts = new Map<string, Verdict>();
    for (const [key, { status }] of Object.entries(records)) {
      for (const { leaf, verdict } of status.probes) {
        const [id, to] = [`${key} ${leaf}`, verdictOf(verdict)];
        verdicts.set(id, to);
        const from = this.#verdicts === undefined ? to : (this.#verdicts.get(id) ?? "pending");
        if (from !== to && this.#shown.has(key)) this.#transitions.inc({ ...labelsOf(key), to });
      }
    }
    this.#verdicts = verdicts;
  }
}

function makeGauges(registry: Registry) {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    healthy: gauge(
      "vedette_probe_healthy",
      "1 while the regions find the address healthy, 0 while unhealthy; absent while they have no verdict.",
      ["namespace", "record", "address"],
    ),
    failures: gauge(
      "vedette_probe_consecutive_failures",
      "Failures in a row in as many regions as have to agree; above the record's failureThreshold it is unhealthy.",
      ["namespace", "record", "address"],
    ),
    endpoints: gauge(
      "vedette_record_endpoints",
      "Addresses of the record's root host (of all clusters) by what the newest decision does with them.",
      ["namespace", "record", "state"],
    ),
    conditions: gauge("vedette_agent_records", "Records by the status of each condition.", ["condition", "status"]),
    probes: gauge("vedette_agent_probes", "Probes of all records by verdict.", ["verdict"]),
    leftOut: gauge(
      "vedette_agent_series_left_out",
      "Records and probes that have no series of their own, so that their number stays bounded; totals hold them.",
      ["kind"],
    ),
  };
}

function labelsOf(key: string): { namespace: string; record: string } {
  const [namespace = "", record = ""] = key.split("/");
  return { namespace, record };
}

/** A word that this agent does not know yet is no verdict. */
function verdictOf(word: string): Verdict {
  return VERDICTS.find((verdict) => verdict === word.toLowerCase()) ?? "unknown";
}
