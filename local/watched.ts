import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { recordManifest } from "../shared/model/manifest.ts";
import type { RecordSpec } from "../shared/model/record.ts";
import { routingOf } from "../shared/record/routing.ts";
import type { Question } from "./dns-client.ts";

/** A question with the record that answers it; `isDrawn` where each answer is another one, drawn by weight. */
export type Watched = Question & { record: RecordSpec; isDrawn?: true };

const REREAD_MS = 1_000;

/** The questions as the records stand now; the files are read again at most once a second. */
export function watchedQuestions(path: string): () => Watched[] {
  let questions: Watched[] = [];
  let readAt = 0;
  return () => {
    if (Date.now() - readAt < REREAD_MS) return questions;
    readAt = Date.now();
    try {
      questions = questionsOf(readSpecs(path));
    } catch {
      // The file is being replaced; what was asked before still is.
    }
    return questions;
  };
}

/**
 * Hosts that the cluster of a local stack may name: all under the top-level domains of its records, so that a record
 * may be added while it runs.
 */
export function allowedHosts(path: string): string[] {
  const domains = readSpecs(path).map(({ rootHost }) => `*.${rootHost.split(".").at(-1)}`);
  return [...new Set(["*.test", ...domains])].sort();
}

/** The specs of all records in a file or folder that can be read. What is wrong with the others, the agent says. */
function readSpecs(path: string): RecordSpec[] {
  return filesOf(path).flatMap((file) =>
    parseAllDocuments(readFileSync(file, "utf8")).flatMap((document) => {
      const result = recordManifest.safeParse(document.errors.length > 0 ? undefined : document.toJS());
      return result.success ? [result.data.spec] : [];
    }),
  );
}

/** What a client would ask of the records: each name that no other of the record points to. */
function questionsOf(specs: readonly RecordSpec[]): Watched[] {
  return specs.flatMap((record) => {
    const { endpoints } = record;
    const pointedTo = new Set(endpoints.flatMap((endpoint) => endpoint.targets));
    const names = new Set(endpoints.map((endpoint) => endpoint.dnsName).filter((name) => !pointedTo.has(name)));
    const types = new Set(endpoints.map((endpoint) => (endpoint.recordType === "AAAA" ? "AAAA" : "A")));
    const drawn = endpoints.some((endpoint) => routingOf(endpoint).kind === "Weighted")
      ? { isDrawn: true as const }
      : {};
    return [...names].flatMap((name) => [...types].sort().map((type) => ({ name, type, record, ...drawn })));
  });
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .map((name) => join(path, name))
    .sort();
}
