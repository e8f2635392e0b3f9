import { CliError } from "../../cli/exit-code.ts";

/** Ends a script of this folder. The message says what is wrong, `next` what to do about it. */
export class Stop extends Error {
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** Runs a script to its end; gives the code to end with: 0, what the script gives, or 1 where it was stopped. */
export async function toItsEnd(script: () => Promise<number>): Promise<number> {
  try {
    return await script();
  } catch (error) {
    if (!(error instanceof Stop || error instanceof CliError)) throw error;
    process.stderr.write(`\n${error.message}\n  ${error.next}\n`);
    return 1;
  }
}
