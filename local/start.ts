import { banner, Console, listenKeys, nextBreakage } from "./console.ts";
import { Narrator } from "./narrator.ts";
import { HELP, type Options, readExtraRoots, readOptions, type StackPlan } from "./options.ts";
import { Refusal, type StackEvent } from "./plan.ts";
import type { Breakage } from "./sample-gateways.ts";
import { Stack } from "./stack.ts";

/** By then each name should have an answer: three rounds of the demo and some time to start. */
const UNANSWERED_MS = 15_000;
/** Exit codes by the convention of shells. Ctrl-C gives 0, since it is the normal end. */
const EXIT_CODES = { SIGINT: 0, SIGTERM: 143, SIGHUP: 129 };

const read = readOptions(process.argv.slice(2));
if ("help" in read) process.stdout.write(HELP);
else if ("wrong" in read) {
  process.stderr.write(`${read.wrong}\n`);
  process.exitCode = 2;
} else {
  process.exitCode = await run(read.options);
  process.exit();
}

/** Runs a stack until a signal ends it. Returns the exit code. */
async function run(options: Options): Promise<number> {
  const console = new Console(process.stdout);
  const ending = new AbortController();
  const signalled = new Promise<number>((resolve) => {
    for (const [name, code] of Object.entries(EXIT_CODES)) {
      process.on(name, () => {
        // At the second signal it exits at once. The children end with their channel.
        if (ending.signal.aborted) process.exit(code);
        ending.abort();
        resolve(code);
      });
    }
  });
  console.line("Vedette's local stack is starting. Ctrl-C ends all of it.\n");
  try {
    const stack = await startReporting(planOf(options), console, ending.signal);
    const forgetKeys = listenKeys(process.stdin, keyHandler(stack, console));
    const code = await signalled;
    forgetKeys();
    await stack.stop();
    console.line("\nAll parts have ended.");
    return code;
  } catch (error) {
    if (ending.signal.aborted) return await signalled;
    process.stderr.write(`${error instanceof Refusal ? error.message : String((error as Error).stack)}\n`);
    return 1;
  }
}

function planOf({ extraRoots, ...options }: Options): StackPlan {
  return { ...options, ...(extraRoots !== undefined && { extraRoots: readExtraRoots(extraRoots) }) };
}

async function startReporting(plan: StackPlan, console: Console, signal: AbortSignal): Promise<Stack> {
  const narrator = new Narrator(console);
  const early: StackEvent[] = [];
  let started: Stack | undefined;
  const onEvent = (event: StackEvent) => {
    if (started === undefined) early.push(event);
    else narrator.report(event, started);
  };
  const stack = await Stack.start(plan, onEvent, signal);
  for (const line of banner(stack, process.stdin.isTTY === true)) console.line(line);
  console.line();
  for (const gateway of stack.gateways) console.line(`  ${console.gateway(gateway)}`);
  console.line("\nAn address is in DNS once it is proven healthy.\n");
  started = stack;
  for (const event of early) narrator.report(event, stack);
  setTimeout(() => void narrator.reportUnanswered(stack), UNANSWERED_MS).unref();
  return stack;
}

function keyHandler(stack: Stack, console: Console): (key: string) => void {
  let breakage: Breakage = "status";
  const act = async (key: string): Promise<void> => {
    const gateway = stack.gateways.find(({ number }) => `${number}` === key);
    if (gateway !== undefined) return stack.changeGateway(gateway, gateway.broken === undefined ? breakage : undefined);
    switch (key) {
      case "k":
        breakage = nextBreakage(breakage);
        return console.event(`the next broken gateway ${console.breakage(breakage)}`);
      case "e":
        return stack.edge.running ? stack.stopEdge() : stack.startEdge();
      case "s":
        return console.event("state", console.stateLines(stack));
      case "q":
      case "ctrl-c":
        process.kill(process.pid, "SIGINT");
    }
  };
  return (key) => {
    act(key).catch((error: Error) => console.event(error.message));
  };
}
