import { relative } from "node:path";
import { emitKeypressEvents } from "node:readline";
import { stripVTControlCharacters, styleText } from "node:util";
import { formatDurationMs } from "../shared/model/duration.ts";
import { type DnsChange, isDrawn } from "./dns-watch.ts";
import { HOST } from "./plan.ts";
import { BREAKAGES, type Breakage, type Gateway } from "./sample-gateways.ts";
import type { Stack } from "./stack.ts";

/** `12:34:56` and two spaces. */
const TIME_WIDTH = 10;

type Style = Parameters<typeof styleText>[0];

/** Writes events: a line with the time, and details below it. Uses colours only on a terminal. */
export class Console {
  readonly #out: NodeJS.WriteStream;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
    // The stack must finish its shutdown even if the terminal or reader has gone.
    out.on("error", () => undefined);
  }

  line(text = ""): void {
    this.#out.write(`${text}\n`);
  }

  /** Writes a line that starts with the time. On a terminal, long lines break at words. */
  event(text: string, details: readonly string[] = []): void {
    const [first = "", ...more] = wrap(text, this.#width - TIME_WIDTH);
    this.line(`${this.style("dim", new Date().toTimeString().slice(0, 8))}  ${first}`);
    for (const line of more) this.line(" ".repeat(TIME_WIDTH) + line);
    for (const detail of details) {
      for (const line of wrap(detail, this.#width - TIME_WIDTH))
        this.line(" ".repeat(TIME_WIDTH) + this.style("dim", line));
    }
  }

  get #width(): number {
    return this.#out.isTTY && this.#out.columns > 0 ? this.#out.columns : Number.POSITIVE_INFINITY;
  }

  style(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#out });
  }

  /** `shop.example.test A  ○ 127.0.0.11  ● 127.0.0.12`: every address that was or is in the answer. */
  picture({ question, before, after }: DnsChange): string {
    const all = [...new Set([...(before?.targets ?? []), ...after.targets])].sort();
    const dots = all.map((target) =>
      after.targets.includes(target) ? this.style("green", `● ${target}`) : this.style("red", `○ ${target}`),
    );
    const code = after.targets.length > 0 ? "" : `   ${after.code === "NOERROR" ? "no address" : after.code}`;
    const drawn = isDrawn(question) ? "   (weighted)" : "";
    return `${question.name} ${question.type}   ${dots.join("  ")}${code}${drawn}`;
  }

  breakage(breakage: Breakage): string {
    return this.style("red", BREAKAGES[breakage]);
  }

  /** One line for each part, and one for each answer. */
  stateLines(stack: Stack): string[] {
    const part = (name: "edge" | "agent") => `${name}  ${stack[name].running ? "running" : "stopped"}`;
    const answers = Object.entries(stack.answers()).map(
      ([key, { code, targets }]) => `${key}  ${targets.join(" ") || code}`,
    );
    return [part("edge"), part("agent"), ...stack.gateways.map((gateway) => this.gateway(gateway)), ...answers];
  }

  gateway({ number, address, port, scheme, broken }: Gateway): string {
    const state = broken === undefined ? this.style("green", "well") : this.style("red", BREAKAGES[broken]);
    return `gateway ${number}  ${scheme}://${address}:${port}  ${state}`;
  }
}

/** The start of the output: where to look, and the keys if the input is a terminal. */
export function banner({ plan, folders, edgeUrl, gateways, records }: Stack, hasKeys: boolean): string[] {
  const { ports } = plan;
  const hasGateways = gateways.length > 0;
  const shown = (path: string) => (path.startsWith(process.cwd()) ? relative("", path) : path);
  const name = records.questions[0]?.name ?? "<name>";
  const control = `http://${HOST}:${ports.control}`;
  const gatewayKeys = ["1 2 3   break or mend a gateway", "k       break the next one in another way"];
  const keys = [
    ...(hasGateways ? gatewayKeys : []),
    "e       stop or start the edge",
    `        (after ${formatDurationMs(plan.edgeStaleAfterMs)} of silence the agent publishes all)`,
    "s q     show the state, quit",
  ];
  const breakUrl = `'${control}/gateways/1/break?how=${Object.keys(BREAKAGES)[0]}'`;
  const urls = [...(hasGateways ? [breakUrl, `${control}/gateways/1/mend`] : []), `${control}/edge/stop`];
  const rows: [string, ...string[]][] = [
    ["view", `${edgeUrl}/`],
    ["edge", `${edgeUrl}/v1/records`],
    ["agent", `http://${HOST}:${ports.agent}/readyz`],
    ["DNS", `dig @${HOST} -p ${ports.dns} ${name} +short`],
    ["records", `${shown(folders.records)}   (edit it: it is read again)`],
    ["state, logs", shown(folders.state)],
    ["keys", ...(hasKeys ? keys : [])],
    ["curl", ...urls.map((url) => `curl -X POST ${url}`)],
  ];
  return rows.flatMap(([heading, ...values]) =>
    values.map((value, index) => `  ${(index === 0 ? heading : "").padEnd(13)}${value}`),
  );
}

/** Breaks text at words into lines of at most `width` columns. A mark stays with its address. Colours have no width. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<![●○]) /)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || stripVTControlCharacters(longer).length <= width) line = longer;
    else {
      lines.push(line.trimEnd());
      line = word;
    }
  }
  return [...lines, line];
}

/** The breakage after this one. */
export function nextBreakage(breakage: Breakage): Breakage {
  const kinds = Object.keys(BREAKAGES) as Breakage[];
  return kinds[(kinds.indexOf(breakage) + 1) % kinds.length] ?? breakage;
}

type Key = { name?: string; ctrl?: boolean; sequence?: string };

/**
 * Passes single key presses to `onKey`. Ctrl-C is `ctrl-c`, since raw mode sends no signal for it. Does nothing without a
 * terminal. Returns the function that restores the terminal.
 */
export function listenKeys(input: NodeJS.ReadStream, onKey: (key: string) => void): () => void {
  if (!input.isTTY) return () => undefined;
  const handle = (_: string | undefined, key: Key) => onKey(key.ctrl ? `ctrl-${key.name}` : (key.sequence ?? ""));
  emitKeypressEvents(input);
  input.setRawMode(true);
  input.on("keypress", handle);
  input.resume();
  return () => {
    input.off("keypress", handle);
    input.setRawMode(false);
    input.pause();
  };
}
