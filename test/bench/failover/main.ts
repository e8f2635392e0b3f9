import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { type GatewayIdentities, makeGatewayIdentities, startGateway } from "../../../local/sample-gateways.ts";
import { freePort } from "../../support/free-port.ts";
import { STEADY, type Subject, subjectsOf } from "./cases.ts";
import { startBreakable } from "./gateway.ts";
import { HELP, type Plan, readOptions, type Wave } from "./options.ts";
import { type BenchStack, startBenchStack } from "./stack.ts";
import { lateOnes, tablesOf } from "./tables.ts";
import { keepFailing, settle, type Turn } from "./turns.ts";

/** How long new records may take to be proven, beyond four of their intervals. */
const PROVEN_WITHIN_MS = 90_000;
const TELL_EVERY_MS = 5_000;

const read = readOptions(process.argv.slice(2));
if ("help" in read) console.log(HELP);
else if ("wrong" in read) {
  console.error(`${read.wrong}\n\n${HELP}`);
  process.exitCode = 2;
} else await bench(read.plan);

async function bench(plan: Plan): Promise<void> {
  const turns: Turn[] = [];
  const loads: number[] = [];
  const identities = await makeGatewayIdentities(["*.i2.test", "*.i5.test", "*.i10.test", "*.i30.test"], Date.now());
  const port = await freePort();
  const telling = setInterval(() => {
    loads.push(loadavg()[0] ?? 0);
    const failed = turns.filter(({ kind }) => kind === "Failure").length;
    console.error(
      `${failed} endpoints have failed, ${turns.length - failed} came back; load ${loads.at(-1)?.toFixed(1)}`,
    );
  }, TELL_EVERY_MS);
  const closers = new AsyncDisposableStack();
  closers.defer(() => clearInterval(telling));
  const onInterrupt = () => void closers.disposeAsync().finally(() => process.exit(130));
  process.once("SIGINT", onInterrupt);
  try {
    console.error("starts gateways that stay well, the edge and the agent");
    for (const steady of await startSteady(port, identities)) closers.defer(() => steady.stop());
    const stack = await startBenchStack(identities.authority, `${STEADY.HTTP[0]}:${port}`);
    closers.defer(() => stack.stop());
    const scene = { stack, port, identities, onTurn: (turn: Turn) => void turns.push(turn) };
    await Promise.all(plan.tracks.map((track) => runTrack(track, scene)));
  } finally {
    process.off("SIGINT", onInterrupt);
    await closers.disposeAsync();
  }
  tell(turns, loads, plan);
}

interface Scene {
  stack: BenchStack;
  port: number;
  identities: GatewayIdentities;
  onTurn: (turn: Turn) => void;
}

async function startSteady(port: number, identities: GatewayIdentities) {
  const plain = STEADY.HTTP.map((address, number) => startGateway({ number, address, port }));
  const secure = STEADY.HTTPS.map((address, number) => startGateway({ number, address, port, identities }));
  return await Promise.all([...plain, ...secure]);
}

async function runTrack(waves: readonly Wave[], scene: Scene): Promise<void> {
  for (const wave of waves) await runWave(wave, scene);
}

async function runWave({ intervalMs, leastMs }: Wave, { stack, port, identities, onTurn }: Scene): Promise<void> {
  const subjects = subjectsOf(intervalMs, port);
  const file = `every-${intervalMs}.yaml`;
  const gateways = await Promise.all(subjects.map((subject) => startBreakable(subject, port, identities)));
  try {
    stack.write(file, subjects.map(({ manifest }) => manifest).join("---\n"));
    console.error(`waits until ${subjects.length} records with an interval of ${intervalMs / 1_000} s are proven`);
    await Promise.all(subjects.map((subject) => settle(subject, stack, 4 * intervalMs + PROVEN_WITHIN_MS)));
    const endMs = Date.now() + leastMs;
    const failing = (subject: Subject, place: number) => keepFailing(subject, gateways[place]!, stack, endMs, onTurn);
    await Promise.all(subjects.map(failing));
    stack.write(file, undefined);
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
  }
}

function tell(turns: readonly Turn[], loads: readonly number[], { json }: Plan): void {
  const late = lateOnes(turns);
  console.log(tablesOf(turns));
  if (late.length > 0) console.log(`\nBeyond the bound and 1 s:\n${late.join("\n")}`);
  const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length;
  console.log(`\nLoad of the machine: ${mean.toFixed(1)} in the mean, ${Math.max(...loads).toFixed(1)} at most.`);
  const plain = turns.map(({ subject, ...turn }) => ({ ...turn, ...subject.case, fault: subject.fault }));
  if (json !== undefined) writeFileSync(json, JSON.stringify(plain));
}
