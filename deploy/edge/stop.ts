import { CliError } from "../../cli/exit-code.ts";

/** Ends a script of this folder. The message says what is wrong, and `next` says what to do. */
export class Stop extends Error {
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** Runs a script. Returns its exit code, or 1 after an expected error, which is printed. */
export async function toItsEnd(script: () => Promise<number>): Promise<number> {
  try {
    return await script();
  } catch (error) {
    if (!(error instanceof Stop || error instanceof CliError)) throw error;
    process.stderr.write(`\n${error.message}\n  ${error.next}\n`);
    return 1;
  }
}
