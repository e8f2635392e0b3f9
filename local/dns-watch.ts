import { createSocket } from "node:dgram";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { type DecodedPacket, decode, encode, RECURSION_DESIRED } from "dns-packet";
import { ManifestSource } from "../agent/sources/file-source.ts";
import type { Endpoint } from "../shared/model/endpoint.ts";
import type { RecordSpec } from "../shared/model/record.ts";
import type { RecordStatus } from "../shared/model/status.ts";
import { routingOf } from "../shared/record/routing.ts";

/** The response code, and the sorted addresses or the external name that a CNAME points to. */
export type Answer = { code: string; targets: string[] };

export type Question = { name: string; type: "A" | "AAAA" };

const QUERY_TIMEOUT_MS = 2_000;

/** Queries a DNS server over UDP, as a resolver would. Throws if no answer comes within two seconds. */
export async function askDns(server: { host: string; port: number }, question: Question): Promise<Answer> {
  const socket = createSocket("udp4");
  try {
    const id = Math.floor(Math.random() * 65_536);
    const query = encode({ type: "query", id, flags: RECURSION_DESIRED, questions: [{ ...question, class: "IN" }] });
    const answered = once(socket, "message", { signal: AbortSignal.timeout(QUERY_TIMEOUT_MS) });
    socket.send(query, server.port, server.host);
    const [message] = (await answered) as [Buffer];
    return readAnswer(decode(message));
  } finally {
    socket.close();
  }
}

function readAnswer(packet: DecodedPacket): Answer {
  const answers = packet.answers ?? [];
  const addresses = answers.flatMap((answer) => (answer.type === "A" || answer.type === "AAAA" ? [answer.data] : []));
  const names = answers.flatMap((answer) => (answer.type === "CNAME" ? [answer.data] : []));
  const targets = addresses.length > 0 ? addresses : names.slice(-1);
  return { code: (packet as { rcode?: string }).rcode ?? "NOERROR", targets: [...new Set(targets)].sort() };
}

export type WatchedQuestion = Question & { record: RecordSpec };

const REREAD_MS = 1_000;

/** The records in a file or folder, read as the agent reads them, at most once a second. */
export class WatchedRecords {
  readonly #source: ManifestSource;
  #readAt = 0;
  /** The questions that a client would ask about the records: each name that no endpoint of its record points to. */
  questions: readonly WatchedQuestion[] = [];

  constructor(path: string) {
    this.#source = new ManifestSource([path], new Map());
  }

  async refresh(): Promise<void> {
    if (Date.now() - this.#readAt < REREAD_MS) return;
    this.#readAt = Date.now();
    const { records } = await this.#source.poll(true);
    this.questions = records.flatMap(({ spec }) => questionsOf(spec));
  }

  /**
   * Hosts that the cluster of a local stack may name. They are all under the top-level domains of its records, so that a
   * record may be added later.
   */
  allowedHosts(): string[] {
    const domains = this.questions.map(({ record }) => `*.${record.rootHost.split(".").at(-1)}`);
    return [...new Set(["*.test", ...domains])].sort();
  }
}

function questionsOf(record: RecordSpec): WatchedQuestion[] {
  const { endpoints } = record;
  const pointedTo = new Set(endpoints.flatMap(({ targets }) => targets));
  const names = new Set(endpoints.map(({ dnsName }) => dnsName).filter((name) => !pointedTo.has(name)));
  const types = new Set(endpoints.map(({ recordType }) => (recordType === "AAAA" ? "AAAA" : "A")));
  return [...names].flatMap((name) => [...types].sort().map((type) => ({ name, type, record })));
}

/** Whether answers are drawn by weight, so that each may differ. */
export const isDrawn = ({ record }: WatchedQuestion) =>
  record.endpoints.some((endpoint) => routingOf(endpoint).kind === "Weighted");

/**
 * Returns the function that answers a question. If answers are drawn by weight, a single DNS answer proves nothing. Then the
 * answer is what the edge has published, at most once a second, and undefined while that is unknown.
 */
export function askWatched(
  server: { host: string; port: number },
  readRecord: (rootHost: string) => Promise<RecordStatus | undefined>,
): (question: WatchedQuestion) => Promise<Answer | undefined> {
  const readAt = new Map<string, number>();
  return async (question) => {
    if (!isDrawn(question)) return askDns(server, question);
    const key = `${question.name} ${question.type}`;
    if (Date.now() - (readAt.get(key) ?? 0) < REREAD_MS) return undefined;
    readAt.set(key, Date.now());
    const status = await readRecord(question.record.rootHost);
    return status && { code: "NOERROR", targets: publishedFor(question, status.endpoints) };
  };
}

/** All possible answers to a question: the sorted addresses, and the external names that a CNAME points to. */
export function publishedFor({ name, type }: Question, endpoints: readonly Endpoint[]): string[] {
  const isOwner = new Set(endpoints.map(({ dnsName }) => dnsName));
  const reach = (owner: string): string[] =>
    endpoints
      .filter(({ dnsName, recordType }) => dnsName === owner && (recordType === "CNAME" || recordType === type))
      .flatMap(({ targets }) => targets.flatMap((target) => (isOwner.has(target) ? reach(target) : [target])));
  return [...new Set(reach(name))].sort();
}

/** An answer that differs from the previous one; `before` is absent the first time. */
export type DnsChange = { question: WatchedQuestion; before?: Answer; after: Answer; at: number };

const PAUSE_MS = 100;

/**
 * Repeats the questions of a client and reports each change. Each round refreshes the records, so that they may come and
 * go. Returns the function that stops it.
 */
export function watchDns(
  ask: (question: WatchedQuestion) => Promise<Answer | undefined>,
  records: WatchedRecords,
  onChange: (change: DnsChange) => void,
): () => void {
  const seen = new Map<string, Answer>();
  const stopping = new AbortController();
  void (async () => {
    while (!stopping.signal.aborted) {
      await records.refresh();
      for (const question of records.questions) {
        const after = await ask(question).catch(() => undefined);
        if (after === undefined || stopping.signal.aborted) continue;
        const key = `${question.name} ${question.type}`;
        const before = seen.get(key);
        if (JSON.stringify(before) === JSON.stringify(after)) continue;
        seen.set(key, after);
        onChange({ question, ...(before && { before }), after, at: Date.now() });
      }
      await pause(PAUSE_MS);
    }
  })();
  return () => stopping.abort();
}
