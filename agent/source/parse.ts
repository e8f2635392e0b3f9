import { type Document, isMap, isNode, isScalar, LineCounter, type ParsedNode, parseAllDocuments } from "yaml";
import { z } from "zod";
import { fieldErrors, formatFieldError } from "../../shared/model/field-error.ts";
import { API_VERSION, secretManifest } from "../../shared/model/manifest.ts";
import type { FieldError } from "../../shared/model/problem.ts";
import { objectName, recordKey } from "../../shared/model/record.ts";
import type { FileContent, FileRecord, ManifestProblem, ManifestSecret } from "./content.ts";
import { secretValues } from "./header-secret.ts";
import { readRecord } from "./read-record.ts";

type Yaml = Document.Parsed<ParsedNode>;
type Place = { file: string; lines: LineCounter; document: Yaml };
type Read =
  | { kind: "Record"; record: FileRecord }
  | { kind: "Secret"; secret: ManifestSecret }
  | { kind: "Ignored" }
  | { kind: "Wrong"; key?: string; problems: ManifestProblem[] };

const head = z.looseObject({ apiVersion: z.string(), kind: z.string() });
const named = z.looseObject({
  metadata: z.looseObject({ name: objectName, namespace: objectName.default("default") }),
});
const GROUP = API_VERSION.replace(/\/.*/, "/");

/**
 * Reads the manifests of one file: `DNSRecord` and `Secret` documents; those of other groups and kinds are passed over. A
 * document that is wrong is reported with line, column and field, and stops no other. Problems never show a secret's value.
 */
export function parseManifests(text: string, file: string): FileContent {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const documents: Yaml[] = "empty" in parsed ? [] : (parsed as Yaml[]);
  const read = documents.map((document) => readDocument({ file, lines, document }));
  const wrong = read.flatMap((one) => (one.kind === "Wrong" ? [one] : []));
  const isEmpty = documents.every(isBlank);
  const emptyProblem = {
    file,
    message: "is empty: what it held stays. To remove its records, delete it from a watched folder or start without it",
  };
  return {
    records: read.flatMap((one) => (one.kind === "Record" ? [one.record] : [])),
    secrets: read.flatMap((one) => (one.kind === "Secret" ? [one.secret] : [])),
    problems: isEmpty ? [emptyProblem] : wrong.flatMap(({ problems }) => problems),
    broken: new Set(wrong.flatMap(({ key }) => key ?? [])),
    unclear: isEmpty || wrong.some(({ key }) => key === undefined),
  };
}

/** The content of a file that could not even be parsed. */
export function unparsed(file: string, message: string): FileContent {
  return { records: [], secrets: [], problems: [{ file, message }], broken: new Set(), unclear: true };
}

function readDocument(place: Place): Read {
  const { document } = place;
  if (document.errors.length > 0) {
    return { kind: "Wrong", problems: document.errors.map((error) => at(place, error.pos[0], yamlMessage(error))) };
  }
  if (isBlank(document)) return { kind: "Ignored" };
  const value = toValue(document);
  if (!isMap(document.contents) || value === undefined) {
    return { kind: "Wrong", problems: [at(place, startOf(document), "is no manifest: it must be a map")] };
  }
  const kind = head.safeParse(value);
  if (!kind.success) return wrong(place, value, fieldErrors(kind.error, value));
  if (kind.data.apiVersion === "v1" && kind.data.kind === "Secret") return readSecret(place, value);
  if (kind.data.apiVersion === API_VERSION && kind.data.kind === "DNSRecord") return readRecordAt(place, value);
  if (kind.data.kind.endsWith("List")) {
    return wrong(place, value, [{ field: "kind", rule: "must not be a list: give each object its own document" }]);
  }
  if (!kind.data.apiVersion.startsWith(GROUP)) return { kind: "Ignored" };
  const rule = `must be ${API_VERSION} with kind DNSRecord: no other of ${GROUP} is read from files`;
  return wrong(place, value, [{ field: "apiVersion", value: `${kind.data.apiVersion} ${kind.data.kind}`, rule }]);
}

const isBlank = ({ contents, errors }: Yaml) =>
  errors.length === 0 && (contents === null || (isScalar(contents) && contents.value === null));

function readRecordAt(place: Place, value: unknown): Read {
  const read = readRecord(value);
  if (!read.ok) return wrong(place, value, read.errors);
  return { kind: "Record", record: { ...read.record, line: lineOf(place, startOf(place.document)) } };
}

function readSecret(place: Place, value: unknown): Read {
  const result = secretManifest.safeParse(value);
  if (!result.success) return wrong(place, value, fieldErrors(result.error, value));
  const line = lineOf(place, startOf(place.document));
  return { kind: "Secret", secret: { key: recordKey(result.data.metadata), values: secretValues(result.data), line } };
}

function wrong(place: Place, value: unknown, errors: FieldError[]): Read {
  const name = named.safeParse(value);
  const key = name.success ? recordKey(name.data.metadata) : undefined;
  const subject = key === undefined ? "" : `${key} `;
  const problems = errors.map((error) =>
    at(place, offsetOf(place.document, error.field), subject + formatFieldError(error)),
  );
  return { kind: "Wrong", ...(key !== undefined && { key }), problems };
}

function at({ file, lines }: Place, offset: number, message: string): ManifestProblem {
  const { line, col } = lines.linePos(offset);
  return { file, line, column: col, message };
}

const lineOf = ({ lines }: Place, offset: number) => lines.linePos(offset).line;

const startOf = (document: Yaml) => document.contents?.range[0] ?? document.range[0];

/** Where a field such as `spec.endpoints[1].targets` stands; where it is missing, the innermost thing that should hold it. */
function offsetOf(document: Yaml, field: string): number {
  const path = field.split(/[.[\]]+/).filter((part) => part !== "");
  for (let length = path.length; length > 0; length -= 1) {
    const steps = path.slice(0, length).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    const node: unknown = document.getIn(steps, true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return startOf(document);
}

/** Undefined where the document cannot be made into a value (an alias without an anchor, or ones that explode). */
function toValue(document: Yaml): unknown {
  try {
    return document.toJS();
  } catch {
    return undefined;
  }
}

/** The part behind a colon can quote the file, and with that a secret. */
const yamlMessage = ({ message, code }: { message: string; code: string }) =>
  `is no valid YAML: ${message.split(":")[0]} (${code})`;
