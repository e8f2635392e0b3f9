import { availableParallelism } from "node:os";
import { PRICES_AS_OF } from "../../../shared/price/prices.ts";
import { type Case, checksASecond, nameOf } from "./cases.ts";
import { type Measured, measure } from "./measure.ts";
import { HELP, type Plan, readOptions } from "./options.ts";
import { flipsOf, metersOf, tableOf } from "./table.ts";

/** A check takes some 10 ms of CPU here, the gateway's part included; above half of a core nothing is on time any more. */
const CHECKS_A_CORE = 50;

const read = readOptions(process.argv.slice(2), CHECKS_A_CORE * availableParallelism());
if ("help" in read) console.log(HELP);
else if ("wrong" in read) {
  console.error(`${read.wrong}\n\n${HELP}`);
  process.exitCode = 2;
} else await bench(read.plan);

async function bench(plan: Plan): Promise<void> {
  const all = await measureAll(plan);
  console.log(headOf(plan));
  console.log(tableOf(all));
  for (const line of flipsOf(all)) console.log(`\n${line}`);
  console.log("\nBy the product's own meter, of what was counted around its objects, within the window:");
  for (const line of metersOf(all)) console.log(`  ${line}`);
  if (plan.tooMany.length > 0)
    console.log(`\nNot measured, too many checks a second for this machine (--only does it all the same):`);
  for (const one of plan.tooMany) console.log(`  ${nameOf(one)}: ${Math.round(checksASecond(one))} a second`);
  if (plan.json) for (const one of all) console.log(JSON.stringify(one));
  if (all.length < plan.cases.length) process.exitCode = 1;
}

/** As many at a time as the plan says and the machine can dial; in the order of the plan. */
async function measureAll(plan: Plan): Promise<Measured[]> {
  const waiting = [...plan.cases];
  const running = new Map<Case, Promise<void>>();
  const found: Measured[] = [];
  const mostChecks = CHECKS_A_CORE * availableParallelism();
  while (waiting.length > 0 || running.size > 0) {
    const [next] = waiting;
    const load = [...running.keys()].reduce((sum, one) => sum + checksASecond(one), 0);
    const fits = next !== undefined && running.size < plan.atOnce && load + checksASecond(next) <= mostChecks;
    if (next !== undefined && (fits || running.size === 0)) {
      waiting.shift();
      const done = measure(next, plan, say)
        .then(
          (one) => void found.push(one),
          (error: Error) => say(`${nameOf(next)}: FAILED, ${error.message}`),
        )
        .finally(() => running.delete(next));
      running.set(next, done);
    } else await Promise.race(running.values());
    say(`${found.length} of ${plan.cases.length} cases are measured`);
  }
  return plan.cases.flatMap((one) => found.filter((measured) => measured.case === one));
}

function headOf({ minutes, delayMs, atOnce, together }: Plan): string {
  return `
Measured: each fleet for ${minutes} min at rest, up to ${atOnce} at a time, exchanges of ${delayMs} ms, DIALS_TOGETHER ${together}; requests, alarms, rows, log
lines and bytes are counted by code around the objects, awake is the time in which an object runs or has a call, a socket, a
timer, a fetch or waitUntil pending. One that merely rests in memory is not billed, also where it was not put away yet.
Extrapolated: the month (30 days), from that window; rows of history by the clock (marks each five minutes, a row a quarter of an
hour, hour and day, deleted again when old). "dials' CPU" is in no total: half of the dials and more are made in invocations of
their own, and Cloudflare's documents do not say whether the CPU of such is billed beside their object; were it, it would cost
that much, by this machine's CPU for a check. Prices of ${PRICES_AS_OF}.
Not shown here: the platform's own latencies between objects and for confirmed writes. What the plan includes is not taken off.
All amounts are for each endpoint and month. Route 53: one HTTPS check of an endpoint outside AWS.
`;
}

/** Progress, on a line of its own that the next one takes the place of; each on its own where it is no terminal. */
function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else process.stderr.write(`${text}\n`);
}
