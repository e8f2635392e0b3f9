import { formatFieldError } from "../../shared/model/field-error.ts";
import type { RecordSpec } from "../../shared/model/record.ts";
import { type Headers, headersOf, type SecretReading } from "./header-secret.ts";
import { type Fault, type ManifestDocument, readDocuments } from "./yaml-documents.ts";

/** A `DNSRecord` as a file or the API server gave it. */
export interface ManifestRecord {
  /** `namespace/name` */
  key: string;
  namespace: string;
  name: string;
  uid?: string;
  generation?: number;
  /** RFC 3339; known of an object of the API. */
  createdAt?: string;
  spec: RecordSpec;
  /** The spec before parsing: what a snapshot carries and the state file remembers. */
  specInput: unknown;
}

/** A `DNSRecord` and where in its file it stands. */
export interface FileRecord extends ManifestRecord {
  line: number;
}

/** A `Secret` as a file gave it. Its values go to the edge and nowhere else: not into the state file, not into a log. */
export interface ManifestSecret {
  key: string;
  values: Readonly<Record<string, string>>;
  line: number;
}

/** Something wrong in a manifest, for the person who wrote it. */
export interface ManifestProblem {
  file: string;
  line?: number;
  column?: number;
  message: string;
}

/** What one file holds. */
export interface FileContent {
  records: readonly FileRecord[];
  secrets: readonly ManifestSecret[];
  problems: readonly ManifestProblem[];
  /** Documents that are wrong, by `namespace/name`; their last good form stays. */
  broken: ReadonlySet<string>;
  /** Whether something is wrong that could be any document of the file: whatever it had before stays then. */
  unclear: boolean;
}

/**
 * What a file holds after it was read again. A wrong document leaves the last good form in force; a document that is
 * gone, with nothing else wrong that could be it, is gone.
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

/** Reads the manifests of one file. A document that is wrong is reported with line, column and field, and stops no other. */
export function parseManifests(text: string, file: string): FileContent {
  return fileContent(readDocuments(text), file);
}

/** What the documents of a file come to. */
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

/** The content of a file that could not even be parsed. */
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
  /** Where it stands; absent for an object of the API. */
  file?: string;
  line?: number;
  /** Why its spec as it stands was refused, in words: `spec` is then the form that was accepted last. */
  refusal?: string;
}

/** All records of all files, in the order of their keys. Of two with one name the first by file and line holds. */
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
