import { formatFieldError } from "../../shared/model/field-error.ts";
import { type Headers, headersOf, type SecretReading } from "./header-secret.ts";
import type { ManifestRecord } from "./record.ts";
import { type Fault, type ManifestDocument, readDocuments } from "./yaml-documents.ts";

/** A `DNSRecord` and its line in the file. */
export interface FileRecord extends ManifestRecord {
  line: number;
}

/** A `Secret` from a file. Its values go to the edge only, never into the state file or a log. */
export interface ManifestSecret {
  key: string;
  values: Readonly<Record<string, string>>;
  line: number;
}

/** An error in a manifest, for its author. */
export interface ManifestProblem {
  file: string;
  line?: number;
  column?: number;
  message: string;
}

/** The content of one file. */
export interface FileContent {
  records: readonly FileRecord[];
  secrets: readonly ManifestSecret[];
  problems: readonly ManifestProblem[];
  /** Invalid documents, by `namespace/name`. Their last valid form stays in force. */
  broken: ReadonlySet<string>;
  /** Whether an error could concern any document of the file. Then all former documents stay in force. */
  unclear: boolean;
}

/**
 * Merges a file that was read again with its former content. An invalid document keeps its last valid form. A document
 * that is missing is removed, unless an error in the file could be that document.
 */
export function mergeReread(before: FileContent | undefined, read: FileContent): FileContent {
  if (before === undefined) return read;
  const stays = (kept: readonly { key: string }[]) => {
    const now = new Set(kept.map(({ key }) => key));
    return ({ key }: { key: string }) => !now.has(key) && (read.unclear || read.broken.has(key));
  };
  return {
    ...read,
    records: [...read.records, ...before.records.filter(stays(read.records))],
    secrets: [...read.secrets, ...before.secrets.filter(stays(read.secrets))],
  };
}

/** `api.yaml:12:5 spec.rootHost: is required` */
export function formatProblem({ file, line, column, message }: ManifestProblem): string {
  return `${[file, line, column].filter((part) => part !== undefined).join(":")} ${message}`;
}

/**
 * Reads the manifests of one file. An invalid document is reported with line, column and field, and does not affect
 * other documents.
 */
export function parseManifests(text: string, file: string): FileContent {
  return fileContent(readDocuments(text), file);
}

/** Combines the documents of a file. */
export function fileContent(documents: readonly ManifestDocument[], file: string): FileContent {
  const wrong = documents.flatMap((one) => (one.kind === "Wrong" ? [one] : []));
  const isEmpty = documents.every(({ kind }) => kind === "Blank");
  const emptyProblem = {
    file,
    message: "is empty: what it held stays. To remove its records, delete it from a watched folder or start without it",
  };
  return {
    records: documents.flatMap((one) => (one.kind === "Record" ? [{ ...one.record, line: one.line }] : [])),
    secrets: documents.flatMap((one) =>
      one.kind === "Secret" ? [{ key: one.key, values: one.values, line: one.line }] : [],
    ),
    problems: isEmpty
      ? [emptyProblem]
      : wrong.flatMap(({ key, faults }) => faults.map((fault) => problemOf(file, key, fault))),
    broken: new Set(wrong.flatMap(({ key }) => key ?? [])),
    unclear: isEmpty || wrong.some(({ key }) => key === undefined),
  };
}

/** The content of a file that cannot be parsed. */
export function unparsed(file: string, message: string): FileContent {
  return { records: [], secrets: [], problems: [{ file, message }], broken: new Set(), unclear: true };
}

function problemOf(file: string, key: string | undefined, { line, column, ...fault }: Fault): ManifestProblem {
  const subject = key === undefined ? "" : `${key} `;
  const { field, rule } = fault;
  const told = field === undefined ? rule : formatFieldError({ ...fault, field });
  return { file, line, column, message: subject + told };
}

/** A record of this cluster, with its header secrets joined. */
export interface OwnRecord extends ManifestRecord, Headers {
  /** The file and line; absent for an object of the API. */
  file?: string;
  line?: number;
  /** Why the current spec is invalid. `spec` is then the last valid form. */
  refusal?: string;
}

/**
 * Merges the records of all files, sorted by key. Of two records with the same name the first by file and line counts.
 */
export function mergeFiles(files: ReadonlyMap<string, FileContent>): {
  records: OwnRecord[];
  problems: ManifestProblem[];
} {
  const problems = [...files.values()].flatMap((content) => content.problems);
  const secrets = firstByKey(files, (content) => content.secrets, "Secret", problems);
  const records = firstByKey(files, (content) => content.records, "DNSRecord", problems);
  const secretAt = (key: string): SecretReading => secrets.get(key)?.item ?? { problem: "is not among the manifests." };
  return {
    records: [...records.values()]
      .map(({ file, item }) => ({ ...item, file, ...headersOf(item, secretAt) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
    problems,
  };
}

type Held<Item> = Map<string, { file: string; item: Item }>;

function firstByKey<Item extends { key: string; line: number }>(
  files: ReadonlyMap<string, FileContent>,
  itemsOf: (content: FileContent) => readonly Item[],
  kind: string,
  problems: ManifestProblem[],
): Held<Item> {
  const held: Held<Item> = new Map();
  for (const [file, content] of files) {
    for (const item of itemsOf(content)) {
      const first = held.get(item.key);
      if (first === undefined) held.set(item.key, { file, item });
      else {
        const message = `${item.key} is a second ${kind} of that name: the one at ${first.file}:${first.item.line} holds`;
        problems.push({ file, line: item.line, message });
      }
    }
  }
  return held;
}
