import { setTimeout as pause } from "node:timers/promises";
import { CliError, EXIT, type ExitCode } from "./exit-code.ts";
import type { Session } from "./session.ts";

/** Switches to the alternate screen and hides the cursor; and back. */
const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?25h\x1b[?1049l";
/** Moves to the top left. Clears each line to its end and everything below, which avoids flicker. */
const HOME = "\x1b[H";
const WIPE_LINE = "\x1b[K";
const WIPE_BELOW = "\x1b[J";

interface Seen {
  data: unknown;
  /** Text output for a terminal. */
  text: string;
}

/**
 * Polls until the user ends it. A terminal is redrawn, and restored at the end; other outputs get one answer for each
 * change. While the edge is unreachable, the last answer stays with a note of its age. @param look returns the current
 * content, for a terminal in at most the given number of lines
 */
export async function watch(
  session: Session,
  intervalMs: number,
  look: (signal: AbortSignal, rows: number) => Promise<Seen>,
): Promise<ExitCode> {
  const { terminal, globals } = session;
  const ending = session.ending();
  const screen = terminal.isInteractive && globals.output === "table" ? screenOn(session) : undefined;
  const show = screen?.show ?? changesOf(session);
  try {
    while (!ending.aborted) {
      await lookOnce(ending, show, () => look(ending, terminal.rows - 2));
      await pause(intervalMs, undefined, { signal: ending }).catch(() => undefined);
    }
    return EXIT.Fine;
  } finally {
    screen?.close();
  }
}

type Show = (seen: Seen | undefined, trouble: string | undefined) => void;

async function lookOnce(ending: AbortSignal, show: Show, look: () => Promise<Seen>): Promise<void> {
  try {
    show(await look(), undefined);
  } catch (error) {
    if (ending.aborted) return;
    if (!(error instanceof CliError) || error.code !== EXIT.Unreachable) throw error;
    show(undefined, error.message);
  }
}

function screenOn(session: Session): { show: Show; close: () => void } {
  const { terminal } = session;
  let last = "Nothing was seen yet.";
  let staleSince: number | undefined;
  terminal.raw(ENTER);
  return {
    show(seen, trouble) {
      staleSince = trouble === undefined ? undefined : (staleSince ?? session.now());
      last = seen?.text ?? last;
      const clock = session.clock();
      const stale = staleSince === undefined ? "" : `Stale since ${clock(staleSince)}: ${trouble}`;
      const first =
        stale === "" ? terminal.style("dim", `${clock(session.now())}  Ctrl-C ends`) : terminal.style("red", stale);
      const lines = `${first}\n${last}`.split("\n").map((line) => cut(line, terminal.columns) + WIPE_LINE);
      terminal.raw(HOME + lines.join("\n") + WIPE_BELOW);
    },
    close: () => terminal.raw(LEAVE),
  };
}

function changesOf(session: Session): Show {
  let last: string | undefined;
  let told: string | undefined;
  return (seen, trouble) => {
    if (trouble !== told) session.terminal.tell(trouble ?? "The edge answers again.");
    told = trouble;
    if (seen === undefined || seen.text === last) return;
    last = seen.text;
    session.showNext(seen.data, () => seen.text);
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
const COLOUR_OR_CHARACTER = /\x1b\[[0-9;]*m|./gsu;

/** Cuts a line to a number of columns. Marks the cut, and closes open colours. */
export function cut(line: string, columns: number): string {
  const parts = line.match(COLOUR_OR_CHARACTER) ?? [];
  if (parts.filter(isCharacter).length <= columns) return line;
  let room = columns - 1;
  const kept = parts.filter((part) => !isCharacter(part) || room-- > 0);
  return `${kept.join("")}…`;
}

const isCharacter = (part: string) => !part.startsWith("\x1b");
