import { hasSwappedKeys, makeKeyShare } from "../prober/tls/key-share.ts";
import type { Bench, Measure } from "./bench.ts";

const ALARMS = 5;
const ALARM_IN_MS = 300;
const ALARM_LIMIT_MS = 20_000;
/** Beyond the number that is documented for service bindings. */
const LOOPBACKS = 40;
const HANDSHAKES = 50;

/** In which data centre the object really is: nothing, where that is not to be learnt. */
export const placement: Measure = async (bench) => {
  const colo = await bench.colo();
  return colo === undefined ? {} : { colo };
};

/** How many invocations of its own Worker one invocation may make, up to what is tried. */
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

/** Which way round the runtime takes the keys of x25519, and that the agreement holds either way. */
export const keyExchange: Measure = async () => {
  const [one, other] = [makeKeyShare("x25519"), makeKeyShare("x25519")];
  const agrees = Buffer.from(one.agree(other.publicKey)).equals(Buffer.from(other.agree(one.publicKey)));
  return { swapped: hasSwappedKeys(), agrees };
};

/**
 * The clock stands still between two I/Os, so the work goes between two calls, and what two calls alone take is told beside it. It
 * bounds the time of key exchanges from above; the time that is billed is in the platform's own log and in nothing that a Worker sees.
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

/** How late alarms come, one after the other. */
export const alarms: Measure = async ({ nextAlarm, storage }) => {
  const late: number[] = [];
  for (let n = 0; n < ALARMS; n += 1) {
    const lateMs = await nextAlarm.lateness(storage, ALARM_IN_MS, ALARM_LIMIT_MS);
    if (lateMs === undefined) return { set: n + 1, came: n, limitMs: ALARM_LIMIT_MS };
    late.push(lateMs);
  }
  late.sort((a, b) => a - b);
  return { set: ALARMS, came: ALARMS, medianLateMs: late[ALARMS >> 1] ?? 0, worstLateMs: late.at(-1) ?? 0 };
};

/** What the cursors say that an insert writes, which is what is billed; of alarms they say nothing. */
export const rows: Measure = async ({ storage: { sql } }) => {
  sql.exec("CREATE TABLE self_test (id INTEGER PRIMARY KEY, value TEXT)");
  const insert = (id: number) => sql.exec("INSERT INTO self_test VALUES (?, 'x')", id).rowsWritten;
  const plain = insert(1);
  sql.exec("CREATE INDEX self_test_value ON self_test (value)");
  const indexed = insert(2);
  const replaced = sql.exec("INSERT OR REPLACE INTO self_test VALUES (2, 'y')").rowsWritten;
  const cursor = sql.exec("SELECT * FROM self_test");
  cursor.toArray();
  return { plainInsert: plain, indexedInsert: indexed, indexedReplace: replaced, readOfTwo: cursor.rowsRead };
};
