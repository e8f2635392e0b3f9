import { stripVTControlCharacters, styleText } from "node:util";
import type { DnsChange } from "./dns-watch.ts";
import { BREAKAGES, type Breakage, type Gateway } from "./gateways.ts";
import type { Stack } from "./stack.ts";

/** `12:34:56` and two spaces. */
const TIME_WIDTH = 10;

type Style = Parameters<typeof styleText>[0];

/** Writes calm lines: the time, what happened, and below it what follows from that. Colours only on a terminal. */
export class Console {
  readonly #out: NodeJS.WriteStream;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
    // A terminal or a reader that is gone must not end the stack half-way through its own end.
    out.on("error", () => undefined);
  }

  line(text = ""): void {
    this.#out.write(`${text}\n`);
  }

  /** A line with the time before it. On a terminal, what is too long for its width goes on below, at a word. */
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
    return this.#out.isTTY ? this.#out.columns : Number.POSITIVE_INFINITY;
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
    const drawn = question.isDrawn ? "   (weighted)" : "";
    return `${question.name} ${question.type}   ${dots.join("  ")}${code}${drawn}`;
  }

  breakage(breakage: Breakage): string {
    return this.style("red", BREAKAGES[breakage]);
  }

  /** One line for each part, and one for each answer. */
  standing(stack: Stack): string[] {
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

/** What the stack offers and where, for the head of the output. */
export type Places = {
  edgeUrl: string;
  agentUrl: string;
  dns: { host: string; port: number };
  controlUrl: string;
  records: string;
  state: string;
  firstName: string | undefined;
  edgeStaleAfter: string;
  hasGateways: boolean;
  hasKeys: boolean;
};

/** The head of the output: where to look and what to press. */
export function banner(places: Places): string[] {
  const { dns } = places;
  const dig = `dig @${dns.host} -p ${dns.port} ${places.firstName ?? "<name>"} +short`;
  const rows: [string, string][] = [
    ["view", `${places.edgeUrl}/`],
    ["edge", `${places.edgeUrl}/v1/records`],
    ["agent", `${places.agentUrl}/readyz`],
    ["DNS", dig],
    ["records", `${places.records}   (edit it: it is read again)`],
    ["state, logs", places.state],
  ];
  if (places.hasKeys)
    rows.push(...keys(places).map((text, index): [string, string] => [index === 0 ? "keys" : "", text]));
  const curl = `curl -X POST ${places.controlUrl}`;
  if (places.hasGateways) {
    rows.push(
      ["curl", `curl -X POST '${places.controlUrl}/gateways/1/break?how=${Object.keys(BREAKAGES)[0]}'`],
      ["", `${curl}/gateways/1/mend`],
    );
  }
  rows.push([places.hasGateways ? "" : "curl", `${curl}/edge/stop`]);
  return rows.map(([name, value]) => `  ${name.padEnd(13)}${value}`);
}

function keys({ hasGateways, edgeStaleAfter }: Places): string[] {
  const gateways = hasGateways ? ["1 2 3   break or mend a gateway", "k       another kind of breaking"] : [];
  return [
    ...gateways,
    "e       stop or start the edge",
    `        (once it is silent for ${edgeStaleAfter}, the agent publishes all)`,
    "s q     how it stands, and quit",
  ];
}

/** Lines of at most `width` columns where words allow it; a mark stays with its address. Colours have no width. */
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

/** The kind of breaking after this one. */
export function nextBreakage(breakage: Breakage): Breakage {
  const kinds = Object.keys(BREAKAGES) as Breakage[];
  return kinds[(kinds.indexOf(breakage) + 1) % kinds.length] ?? breakage;
}
