import { hasSwappedKeys, makeKeyShare } from "../../workers/prober/tls/key-share.ts";
import type { Bench, Measure } from "./bench.ts";

const ALARMS = 5;
const ALARM_IN_MS = 300;
const ALARM_LIMIT_MS = 20_000;
/** More than the documented limit of service bindings. */
const LOOPBACKS = 40;
const HANDSHAKES = 50;

/** Finds the data centre that the object really runs in. No figure means that it is unknown. */
export const placement: Measure = async (bench) => {
  const colo = await bench.colo();
  return colo === undefined ? {} : { colo };
};

/** Counts how many calls of its own Worker one invocation may make, up to LOOPBACKS. */
export const loopbacks: Measure = async (bench) => {
  for (let made = 0; made < LOOPBACKS; made += 1) {
    try {
      await bench.echo(made);
    } catch (error) {
      return { made, tried: LOOPBACKS, refusal: `${error instanceof Error ? error.message : error}` };
    }
  }
  return { made: LOOPBACKS, tried: LOOPBACKS };
};

/** Checks in which order the runtime takes the keys of x25519, and that the agreement holds either way. */
export const keyExchange: Measure = async () => {
  const [one, other] = [makeKeyShare("x25519"), makeKeyShare("x25519")];
  const agrees = Buffer.from(one.agree(other.publicKey)).equals(Buffer.from(other.agree(one.publicKey)));
  return { swapped: hasSwappedKeys(), agrees };
};

/**
 * The clock stands still between two I/Os, so the work runs between two calls. The time of two calls alone is measured as well.
 * The result is an upper bound. Billed CPU time appears only in the platform's own log.
 */
export const cpu: Measure = async (bench) => {
  const callMs = await timeBetween(bench, () => undefined);
  let seenInsideMs = 0;
  const workMs = await timeBetween(bench, () => {
    const before = Date.now();
    for (let n = 0; n < HANDSHAKES; n += 1) makeKeyShare("x25519").agree(makeKeyShare("x25519").publicKey);
    seenInsideMs = Date.now() - before;
  });
  const exchangeMs = Math.max(0, workMs - callMs) / HANDSHAKES / 2;
  return {
    callMs,
    workMs,
    seenInsideMs,
    exchangeMs: Math.round(exchangeMs * 1_000) / 1_000,
    exchanges: HANDSHAKES * 2,
  };
};

async function timeBetween(bench: Bench, work: () => void): Promise<number> {
  await bench.echo(0);
  const startedAt = Date.now();
  work();
  await bench.echo(1);
  return Date.now() - startedAt;
}

/** Measures how late alarms come, one after the other. */
export const alarms: Measure = async ({ alarm }) => {
  const late: number[] = [];
  for (let n = 0; n < ALARMS; n += 1) {
    const lateMs = await alarm.lateness(ALARM_IN_MS, ALARM_LIMIT_MS);
    if (lateMs === undefined) return { set: n + 1, came: n, limitMs: ALARM_LIMIT_MS };
    late.push(lateMs);
  }
  late.sort((a, b) => a - b);
  return { set: ALARMS, came: ALARMS, medianLateMs: late[ALARMS >> 1] ?? 0, worstLateMs: late.at(-1) ?? 0 };
};

/** Reads the billed row writes of an insert from the cursors. Cursors do not count alarms. */
export const rows: Measure = async ({ storage: { sql } }) => {
  sql.exec("CREATE TABLE measured (id INTEGER PRIMARY KEY, value TEXT)");
  const insert = (id: number) => sql.exec("INSERT INTO measured VALUES (?, 'x')", id).rowsWritten;
  const plain = insert(1);
  sql.exec("CREATE INDEX measured_value ON measured (value)");
  const indexed = insert(2);
  const replaced = sql.exec("INSERT OR REPLACE INTO measured VALUES (2, 'y')").rowsWritten;
  const cursor = sql.exec("SELECT * FROM measured");
  cursor.toArray();
  return { plainInsert: plain, indexedInsert: indexed, indexedReplace: replaced, readOfTwo: cursor.rowsRead };
};
