import { setTimeout as pause } from "node:timers/promises";
import { type Command, Option } from "commander";
import { z } from "zod";
import { event } from "../../shared/model/event.ts";
import { addExamples, durationMs, hosts, listOf, type Run, wholeNumber } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit-code.ts";
import type { Session } from "../session.ts";

const MAX_LAST = 500;
const HOUR_MS = 3_600_000;

const eventPage = z.object({
  events: z.array(event.extend({ partition: z.int().nonnegative().optional() })),
  next: z.string(),
  previous: z.string().optional(),
});
type Page = z.infer<typeof eventPage>;
type Told = Page["events"][number];

interface Options {
  follow?: true;
  last: number;
  after?: string;
  interval: number;
  host?: string[];
  type?: string[];
}

/** `vedette events` */
export function addEvents(program: Command, run: Run): void {
  const events = program
    .command("events")
    .summary("what has happened, oldest first")
    .description(
      "Lists what has happened at the edge, oldest first: changed verdicts and decisions, deliveries, refused records, and regions and clusters that left or returned. The edge keeps a bounded log.",
    )
    .option("-f, --follow", "go on with what happens, until Ctrl-C; -o json gives one event a line")
    .addOption(
      new Option("--last <number>", `only the newest so many, up to ${MAX_LAST}; with --host or --type: of those`)
        .argParser(wholeNumber(1, MAX_LAST))
        .default(50),
    )
    .option("--after <cursor>", "what came after the `next` of an earlier answer, instead of --last")
    .addOption(
      new Option("--interval <duration>", "with --follow: how often to look")
        .argParser(durationMs(500, HOUR_MS))
        .default(1_000, "1s"),
    )
    .addOption(new Option("--host <host>", "only those of this root host; may be repeated").argParser(hosts))
    .addOption(
      new Option("--type <type>", "only those of this type; may be repeated")
        .choices(event.shape.type.options)
        .argParser(listOf(event.shape.type.options)),
    )
    .action((options: Options, command: Command) => run(command, (session) => show(session, options)));
  addExamples(events, [
    ["vedette events --last 20", "the newest twenty"],
    ["vedette events --follow --type DecisionChanged", "each change of DNS, as it happens"],
    ["vedette events --follow -o json >> events.ndjson", "for a machine"],
  ]);
}

async function show(session: Session, options: Options): Promise<ExitCode> {
  const page = await readFirst(session, options);
  if (options.follow) return follow(session, options, page);
  const { events, next } = page;
  session.show({ events, next }, () => {
    if (events.length === 0) return "Nothing of that kind is in the log.";
    return events.map((one) => eventLine(one, session)).join("\n");
  });
  return EXIT.Fine;
}

/** Reads the newest matching events, and pages back until there are enough. */
async function readFirst(session: Session, options: Options): Promise<Page> {
  const { last, after } = options;
  const read = (query: string) => session.edge.get(`/v1/events?${query}`, eventPage);
  const wanted = (page: Page) => page.events.filter((one) => isWanted(one, options));
  if (after !== undefined) {
    const page = await read(`after=${encodeURIComponent(after)}`);
    return { ...page, events: wanted(page) };
  }
  const isChosen = options.host !== undefined || options.type !== undefined;
  const size = isChosen ? MAX_LAST : last;
  const newest = await read(`last=${size}`);
  let events = wanted(newest);
  let page = newest;
  while (events.length < last && page.events.length === size && page.previous !== undefined) {
    page = await read(`last=${size}&before=${encodeURIComponent(page.previous)}`);
    events = [...wanted(page), ...events];
  }
  return { next: newest.next, events: events.slice(-last) };
}

/** Follows the log. While the edge is unreachable, the command retries; the cursor then continues without a gap. */
async function follow(session: Session, options: Options, first: Page): Promise<ExitCode> {
  const ending = session.ending();
  let page = first;
  let isAway = false;
  while (!ending.aborted) {
    for (const one of page.events) {
      if (isWanted(one, options)) session.showNext(one, () => eventLine(one, session));
    }
    const isMore = page.events.length >= MAX_LAST;
    if (!isMore) await pause(options.interval, undefined, { signal: ending }).catch(() => undefined);
    const found = await askNext(session, page.next, ending);
    if (typeof found === "string") {
      if (!isAway && !ending.aborted) session.terminal.tell(`${found} It is asked again and again.`);
      page = { events: [], next: page.next };
    } else page = found;
    if (isAway && typeof found !== "string") session.terminal.tell("The edge answers again.");
    isAway = typeof found === "string";
  }
  return EXIT.Fine;
}

/** The page, or why it cannot be read at the moment. */
async function askNext(session: Session, after: string, ending: AbortSignal): Promise<Page | string> {
  try {
    return await session.edge.get(`/v1/events?after=${encodeURIComponent(after)}`, eventPage, ending);
  } catch (error) {
    if (error instanceof CliError && error.code === EXIT.Unreachable) return error.message;
    throw error;
  }
}

function isWanted({ rootHost = "", type }: Told, { host: named, type: types }: Options): boolean {
  return (named === undefined || named.includes(rootHost)) && (types === undefined || types.includes(type));
}

function eventLine({ at, type, rootHost, cluster, region, message }: Told, session: Session): string {
  const about = [rootHost, cluster, region].filter((part) => part !== undefined).join(" ");
  const { style } = session.terminal;
  const head = `${style("dim", session.clock()(at))}  ${style("bold", type.padEnd(18))}`;
  return `${head}  ${message.includes(about) || about === "" ? message : `${about}: ${message}`}`;
}
