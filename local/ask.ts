import type { Endpoint } from "../shared/model/endpoint.ts";
import type { RecordStatus } from "../shared/model/status.ts";
import { type Answer, askDns, type Question } from "./dns-client.ts";
import type { Watched } from "./watched.ts";

const REREAD_MS = 1_000;

/**
 * Gives the function that asks a question. Where answers are drawn by weight, one answer says nothing and the next is
 * another: there it gives what the edge has published, at most once a second, and undefined while that is not known.
 */
export function askWatched(
  server: { host: string; port: number },
  readRecord: (rootHost: string) => Promise<RecordStatus | undefined>,
): (question: Watched) => Promise<Answer | undefined> {
  const readAt = new Map<string, number>();
  return async (question) => {
    if (!question.isDrawn) return askDns(server, question);
    const key = `${question.name} ${question.type}`;
    if (Date.now() - (readAt.get(key) ?? 0) < REREAD_MS) return undefined;
    readAt.set(key, Date.now());
    const status = await readRecord(question.record.rootHost);
    return status && { code: "NOERROR", targets: publishedFor(question, status.endpoints) };
  };
}

/** All that a name can be answered with: the sorted addresses, and the names that a CNAME leads out to. */
export function publishedFor({ name, type }: Question, endpoints: readonly Endpoint[]): string[] {
  const isOwner = new Set(endpoints.map(({ dnsName }) => dnsName));
  const reach = (owner: string): string[] =>
    endpoints
      .filter(({ dnsName, recordType }) => dnsName === owner && (recordType === "CNAME" || recordType === type))
      .flatMap(({ targets }) => targets.flatMap((target) => (isOwner.has(target) ? reach(target) : [target])));
  return [...new Set(reach(name))].sort();
}
