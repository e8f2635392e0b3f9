import { constants } from "node:os";
import { EXIT } from "./exit-code.ts";
import { run } from "./program.ts";

/**
 * Exit codes of a watch that a signal ends. Ctrl-C is the normal way to end it; other signals follow the shell
 * convention.
 */
const ENDED_BY = { SIGINT: 0, SIGTERM: 128 + constants.signals.SIGTERM, SIGHUP: 128 + constants.signals.SIGHUP };

let endedBy: keyof typeof ENDED_BY | undefined;

function ending(): AbortSignal {
  const controller = new AbortController();
  for (const name of Object.keys(ENDED_BY) as (keyof typeof ENDED_BY)[]) {
    process.once(name, () => {
      endedBy = name;
      controller.abort();
    });
  }
  return controller.signal;
}

/** The reader has gone, for example `head`, or the disk is full. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`vedette: The output cannot be written (${error.code}).\n  Send it elsewhere.\n`);
  process.exit(EXIT.Usage);
}

process.stdout.on("error", endWithReader);
process.stderr.on("error", () => process.exit());

const { env, stdout, stderr } = process;
const code = await run(process.argv.slice(2), { env, stdout, stderr, now: Date.now, ending });
process.exitCode = endedBy === undefined ? code : ENDED_BY[endedBy];
