import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { listFiles, readStable } from "../../agent/sources/file-source.ts";
import { type FileContent, fileContent, mergeFiles } from "../../agent/sources/manifest-file.ts";
import { type Judges, type ManifestDocument, readDocuments } from "../../agent/sources/yaml-documents.ts";
import { policyManifest } from "../../shared/model/dns-health-check-policy.ts";
import { fieldErrors } from "../../shared/model/field-error.ts";
import { CliError, EXIT } from "../exit-code.ts";

/** A violated rule with its location, as far as known. Documents count from 1. */
export interface LintFault {
  file: string;
  line?: number;
  column?: number;
  document?: number;
  /** namespace/name */
  object?: string;
  field?: string;
  value?: string;
  rule: string;
}

export interface Linted {
  files: number;
  /** The number of valid documents of each kind. */
  kinds: Record<string, number>;
  faults: LintFault[];
  /** Findings that may be errors, but may be valid in the cluster. */
  notes: LintFault[];
}

type Texts = ReadonlyMap<string, { text: string } | { rule: string }>;

const STDIN = "-";
const KIND_NAMES = { Record: "DNSRecord", Secret: "Secret", Judged: "DNSHealthCheckPolicy" } as const;

const JUDGES: Judges = {
  DNSHealthCheckPolicy: (manifest) => {
    const result = policyManifest.safeParse(manifest);
    return result.success ? [] : fieldErrors(result.error, manifest);
  },
};

/** Checks manifests as the agent reads them. Throws if a path cannot be read. */
export async function lint(paths: readonly string[]): Promise<Linted> {
  return lintTexts(await textsOf(paths));
}

/** Checks manifests by file name. */
export function lintTexts(texts: Texts): Linted {
  const linted: Linted = { files: texts.size, kinds: {}, faults: [], notes: [] };
  const contents = new Map<string, FileContent>();
  for (const [file, read] of texts) {
    if ("rule" in read) {
      linted.faults.push({ file, rule: read.rule });
      continue;
    }
    const documents = readDocuments(read.text, JUDGES);
    for (const [index, document] of documents.entries()) take(linted, file, index + 1, document);
    if (documents.every(({ kind }) => kind === "Blank")) linted.faults.push({ file, rule: "is empty" });
    contents.set(file, { ...fileContent(documents, file), problems: [] });
  }
  judgeTogether(linted, contents);
  return linted;
}

function take({ kinds, faults }: Linted, file: string, document: number, read: ManifestDocument): void {
  if (read.kind === "Blank" || read.kind === "Ignored") return;
  if (read.kind !== "Wrong") {
    const kind = KIND_NAMES[read.kind];
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    return;
  }
  const object = read.key === undefined ? {} : { object: read.key };
  for (const { value, ...fault } of read.faults) {
    faults.push({ file, document, ...object, ...fault, ...(value !== undefined && { value }) });
  }
}

/** Checks references between documents. A Secret that is missing here may exist in the cluster. */
function judgeTogether({ faults, notes }: Linted, contents: ReadonlyMap<string, FileContent>): void {
  const { records, problems } = mergeFiles(contents);
  for (const { message, ...place } of problems) faults.push({ ...place, rule: message });
  for (const { file = "", line, key, headersProblem } of records) {
    if (headersProblem === undefined) continue;
    const isAbsent = headersProblem.endsWith("is not among the manifests.");
    const place = {
      file,
      ...(line !== undefined && { line }),
      object: key,
      field: "spec.healthCheck.additionalHeadersRef",
    };
    (isAbsent ? notes : faults).push({ ...place, rule: headersProblem });
  }
}

async function textsOf(paths: readonly string[]): Promise<Texts> {
  const texts = new Map<string, { text: string } | { rule: string }>();
  if (paths.includes(STDIN)) texts.set("standard input", { text: readFileSync(0, "utf8") });
  const { files, unreadable } = await listFiles(paths.filter((path) => path !== STDIN));
  for (const [path, code] of unreadable) throw notRead(path, code);
  for (const [path, stamp] of files) {
    const read = await readStable(path, stamp);
    const name = shown(path);
    if (read.kind === "Text") texts.set(name, { text: read.text });
    else if (read.kind === "Wrong") texts.set(name, { rule: read.message });
    else throw notRead(path, read.kind === "Unreadable" ? read.code : "it changes at this moment");
  }
  if (texts.size > 0) return texts;
  throw new CliError(
    EXIT.Usage,
    "There is no manifest in what was named.",
    "Name files, or folders with .yaml, .yml or .json files.",
  );
}

const notRead = (path: string, code: string) =>
  new CliError(
    EXIT.Usage,
    `${shown(path)} cannot be read (${code}).`,
    "Name files and folders that are there and may be read.",
  );

/** The path relative to the working directory. */
function shown(path: string): string {
  const fromHere = relative("", path);
  return fromHere.startsWith("..") || fromHere === "" ? path : fromHere;
}
