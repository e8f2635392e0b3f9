import { loadavg } from "node:os";
import { leafOf } from "./fleet.ts";
import { HELP, type Plan, readOptions } from "./options.ts";
import { print, printFlood, printLoaded, printSnapshot, printSteady, printStorm } from "./print.ts";
import { flood, heal, steady, storm } from "./scenes.ts";
import { heapMb, onStage, rowsOf, type Say } from "./stage.ts";

/** What the cost of an endpoint is compared with. */
const FEW = 100;
const FLIPPING_RECORDS = 500;
const REGIONS_OF_ENDPOINTS = 9;

const read = readOptions(process.argv.slice(2));
if ("help" in read) console.log(HELP);
else if ("wrong" in read) {
  console.error(`${read.wrong}\n\n${HELP}`);
  process.exitCode = 2;
} else if (process.platform !== "linux") {
  console.error("The CPU time of workerd can be read on Linux only: run it there.");
  process.exitCode = 2;
} else await bench(read.plan);

async function bench(plan: Plan): Promise<void> {
  const few = plan.isAlone
    ? undefined
    : await onStage({ endpoints: FEW, clusters: 1 }, sayOf(`${FEW} endpoints`), (stage) => flood(stage));
  await onStage(plan, sayOf(`${plan.endpoints} endpoints`), async (stage, begun, restart) => {
    printSnapshot(plan, begun);
    const flooded = await flood(stage);
    const many = { endpoints: plan.endpoints, ...flooded };
    printFlood(few === undefined ? many : { endpoints: FEW, ...few }, many);
    const heap = await heapMb(stage);
    const calm = await steady(stage, plan.steadyMs);
    printSteady(plan, calm, { heapMb: heap, heapBefore: begun.heapBefore });
    const { leaves } = stage.fleet;
    // Of each record some stay: what is left of one that dies whole is kept in DNS.
    const region = new Set(leaves.filter((_, index) => index % REGIONS_OF_ENDPOINTS === 0));
    printStorm("one region's worth of endpoints dies", await storm(stage, region, "a region dies"));
    await heal(stage);
    const records = Math.min(FLIPPING_RECORDS, Math.floor(plan.endpoints / 20));
    const flipping = new Set(Array.from({ length: records }, (_, index) => leafOf(index * 2, 0)));
    const profiled = await profile(plan, stage.workerd.inspector, () => storm(stage, flipping, "records flip"));
    printStorm(`${records} records flip`, profiled);
    stage.driver.stop();
    const { born } = stage;
    const again = await restart();
    printLoaded(plan, { empty: born, loaded: again.born, rows: await rowsOf(again) });
  });
  print([
    [
      "load of the machine now (1, 5, 15 minutes)",
      loadavg()
        .map((load) => load.toFixed(2))
        .join(" "),
    ],
  ]);
}

/** Does the work, with a profile of what took the most time if requested. */
async function profile<Value>(
  { isProfiled }: Plan,
  inspector: { profile: (work: () => Promise<void>) => Promise<{ name: string; ms: number }[]> },
  work: () => Promise<Value>,
): Promise<Value> {
  if (!isProfiled) return work();
  const done: Value[] = [];
  const functions = await inspector.profile(async () => {
    done.push(await work());
  });
  print(functions.slice(0, 30).map(({ name, ms }) => [`  ${name}`, `${ms.toFixed(0)} ms`]));
  return done[0] as Value;
}

/** Progress, on a line of its own that the next one takes the place of; where it is no terminal, each new stage once. */
function sayOf(what: string): Say {
  let last = "";
  return (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what}: ${text}`);
    else if (text.replace(/\d+/g, "") !== last) process.stderr.write(`${what}: ${text}\n`);
    last = text.replace(/\d+/g, "");
  };
}
