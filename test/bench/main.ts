import { type Chains, KEYS, type KeyKind, makeChains } from "./certificates.ts";
import { startBlackbox, whyNoBlackbox } from "./efficiency/blackbox.ts";
import { contests } from "./efficiency/contests.ts";
import { handshakers } from "./handshakes.ts";
import { HELP, type Plan, readOptions } from "./options.ts";
import { startProbers } from "./probes.ts";
import { type Contender, median, race, ratios, spread } from "./rounds.ts";
import { type Ports, startServers } from "./server.ts";
import { viewRows } from "./view/rows.ts";

/** More certificates than the verifier remembers (256) come by before the first one comes again. */
const CHAINS = 150;
/** A whole handshake, verification included, beside Node's own. */
const MOST_TIMES_NODE = 3;

type Row = [what: string, ms: string, ratio: string, goal: string];

const read = readOptions(process.argv.slice(2));
if ("help" in read) console.log(HELP);
else if ("wrong" in read) {
  console.error(`${read.wrong}\n\n${HELP}`);
  process.exitCode = 2;
} else await bench(read.plan);

async function bench(plan: Plan): Promise<void> {
  const isAbout = (part: Plan["only"]) => plan.only === undefined || plan.only === part;
  const view = isAbout("view") ? await viewRows(plan.pages, say) : [];
  if (view.length > 0) print(view, "ms in the page");
  if (plan.only === undefined) await benchProbes(plan);
  if (plan.only === "efficiency") await benchEfficiency(plan);
  console.log(`\nMedian (least to most) of the rounds; a ratio is that of one round.`);
}

async function chainsOfAll(): Promise<Record<KeyKind, Chains>> {
  say("makes certificates");
  const made = KEYS.map(async (kind) => [kind, await makeChains(kind, CHAINS)] as const);
  return Object.fromEntries(await Promise.all(made)) as Record<KeyKind, Chains>;
}

async function benchEfficiency(plan: Plan): Promise<void> {
  if (process.platform !== "linux") {
    console.error("The CPU time of other processes can be read on Linux only: nothing is measured.");
    return;
  }
  const why = whyNoBlackbox();
  if (why !== undefined) console.error(why);
  const chains = await chainsOfAll();
  const roots = KEYS.map((kind) => chains[kind].root).join("");
  const closers = new AsyncDisposableStack();
  try {
    const { ports, stop } = await startServers(chains);
    closers.defer(stop);
    say("starts workerd and blackbox_exporter");
    const probers = await startProbers(roots);
    closers.defer(() => probers.stop());
    const blackbox = why === undefined ? await startBlackbox(roots) : undefined;
    if (blackbox !== undefined) closers.defer(() => blackbox.stop());
    const rows: Row[] = [];
    for (const { title, contenders } of contests(blackbox, probers, ports)) {
      rows.push(...(await rowsOf(title, contenders, plan.rounds, plan.probes, () => "none")));
    }
    print(rows, "ms of CPU");
    if (blackbox !== undefined) console.log(`\nblackbox_exporter ${blackbox.version}: with the metrics that it makes.`);
  } finally {
    await closers.disposeAsync();
  }
}

async function benchProbes(plan: Plan): Promise<void> {
  const chains = await chainsOfAll();
  const { ports, stop } = await startServers(chains);
  try {
    const rows: Row[] = [];
    for (const version of ["TLSv1.3", "TLSv1.2"] as const) {
      for (const kind of KEYS) {
        const contenders = handshakers({ ports: ports.https[kind], version, root: chains[kind].root });
        const goal = (ratio: number) => `≤ ${MOST_TIMES_NODE}: ${ratio <= MOST_TIMES_NODE ? "met" : "MISSED"}`;
        rows.push(...(await rowsOf(`${version} handshake, ${kind}`, contenders, plan.rounds, plan.handshakes, goal)));
      }
    }
    rows.push(...(await probeRows(ports, chains, plan)));
    print(rows, "ms of CPU");
  } finally {
    stop();
  }
}

async function probeRows(ports: Ports, chains: Record<KeyKind, { root: string }>, plan: Plan): Promise<Row[]> {
  if (process.platform !== "linux") {
    console.error("The CPU time of workerd can be read on Linux only: probes are NOT measured.");
    return [];
  }
  say("starts workerd");
  const probers = await startProbers(KEYS.map((kind) => chains[kind].root).join(""));
  try {
    const rows: Row[] = [];
    for (const kind of KEYS) {
      const contenders = probers.contenders(ports.http, ports.https[kind]);
      rows.push(...(await rowsOf(`probe in workerd, ${kind}`, contenders, plan.rounds, plan.probes, () => "none")));
    }
    return rows;
  } finally {
    await probers.stop();
  }
}

/** The others are compared with the first contender. */
async function rowsOf(
  title: string,
  contenders: readonly Contender[],
  rounds: number,
  times: number,
  goal: (ratio: number) => string,
): Promise<Row[]> {
  const [base = [], ...others] = await race(contenders, { rounds, times }, (round) =>
    say(`${title}: ${round === 0 ? "warms up" : `round ${round} of ${rounds}`}`),
  );
  const baseRow: Row = [`${title}: ${contenders[0]?.name}`, spread(base), "1", ""];
  return [
    baseRow,
    ...others.map((own, at): Row => {
      const compared = ratios(own, base);
      return [`${title}: ${contenders[at + 1]?.name}`, spread(own), spread(compared), goal(median(compared))];
    }),
  ];
}

function print(rows: readonly Row[], unit: string): void {
  say("");
  const table: Row[] = [["", unit, "times the first", "goal"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

/** Progress, on a line of its own that the next one takes the place of; each on its own where it is no terminal. */
function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (text !== "") process.stderr.write(`${text}\n`);
}
