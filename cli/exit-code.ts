/** The exit codes. Scripts rely on the numbers, so they never change. */
export const EXIT = { Fine: 0, Trouble: 1, Usage: 2, Unreachable: 3, Refused: 4, NotFound: 5 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meaning of each code, for the help and docs/cli.md. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  [EXIT.Fine]: "all is well, or a watch was ended with Ctrl-C",
  [EXIT.Trouble]:
    "trouble was found: a check failed, a manifest has a fault, with status --exit-code something is not healthy; or the edge holds something that forbids the change",
  [EXIT.Usage]: "the command line, or what it names, is wrong",
  [EXIT.Unreachable]: "the edge cannot be reached, has failed, or is none that this program understands",
  [EXIT.Refused]: "the edge refused the token, or wants one",
  [EXIT.NotFound]: "the edge knows no such record or cluster",
};

/** An error that ends the program. The message says what is wrong, and `next` what to do about it. */
export class CliError extends Error {
  readonly code: ExitCode;
  readonly next: string;

  constructor(code: ExitCode, message: string, next: string) {
    super(message);
    this.code = code;
    this.next = next;
  }
}
