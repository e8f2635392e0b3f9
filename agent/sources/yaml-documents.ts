import { type Document, isMap, isNode, isScalar, LineCounter, type ParsedNode, parseAllDocuments } from "yaml";
import { z } from "zod";
import { fieldErrors } from "../../shared/model/field-error.ts";
import { API_VERSION, secretManifest } from "../../shared/model/manifest.ts";
import type { FieldError } from "../../shared/model/problem.ts";
import { objectName, recordKey } from "../../shared/model/record.ts";
import { secretValues } from "./header-secret.ts";
import type { ManifestRecord } from "./record.ts";
import { readRecord } from "./record.ts";

type Yaml = Document.Parsed<ParsedNode>;
type Place = { lines: LineCounter; document: Yaml };

/** A broken rule and its place. Without a field it concerns the whole document. */
export interface Fault {
  line: number;
  column: number;
  field?: string;
  value?: string | undefined;
  rule: string;
}

type Read =
  | { kind: "Record"; record: ManifestRecord }
  | { kind: "Secret"; key: string; values: Readonly<Record<string, string>> }
  | { kind: "Judged"; key: string }
  | { kind: "Blank" | "Ignored" }
  | { kind: "Wrong"; key?: string; faults: Fault[] };

/**
 * One document of a file. `Judged` is a valid document of a kind that the caller checks; `Ignored` is of a foreign
 * kind.
 */
export type ManifestDocument = Read & { line: number };

/** Checks for further kinds of our group, by kind. A check returns the broken rules. */
export type Judges = Readonly<Record<string, (manifest: unknown) => FieldError[]>>;

const head = z.looseObject({ apiVersion: z.string(), kind: z.string() });
const named = z.looseObject({
  metadata: z.looseObject({ name: objectName, namespace: objectName.default("default") }),
});
const GROUP = API_VERSION.replace(/\/.*/, "/");

/**
 * Reads the documents of one file: `DNSRecord`s, `Secret`s and kinds with a check of their own. Foreign groups and
 * kinds are ignored. An invalid document is reported with line, column and field, and does not affect other documents.
 * Faults never contain the value of a secret.
 */
export function readDocuments(text: string, judges: Judges = {}): ManifestDocument[] {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const documents: Yaml[] = "empty" in parsed ? [] : (parsed as Yaml[]);
  return documents.map((document) => {
    const place = { lines, document };
    return { ...readDocument(place, judges), line: lines.linePos(startOf(document)).line };
  });
}

function readDocument(place: Place, judges: Judges): Read {
  const { document } = place;
  if (document.errors.length > 0) {
    return {
      kind: "Wrong",
      faults: document.errors.map((error) => at(place, error.pos[0], { rule: yamlRule(error) })),
    };
  }
  if (isBlank(document)) return { kind: "Blank" };
  const value = toValue(document);
  if (!isMap(document.contents) || value === undefined) {
    return { kind: "Wrong", faults: [at(place, startOf(document), { rule: "is no manifest: it must be a map" })] };
  }
  const kind = head.safeParse(value);
  if (!kind.success) return wrong(place, value, fieldErrors(kind.error, value));
  return readOfKind(place, value, kind.data, judges);
}

function readOfKind(place: Place, value: unknown, { apiVersion, kind }: z.infer<typeof head>, judges: Judges): Read {
  const judge = apiVersion === API_VERSION && Object.hasOwn(judges, kind) ? judges[kind] : undefined;
  if (judge !== undefined) return judged(place, value, judge(value));
  if (apiVersion === "v1" && kind === "Secret") return readSecret(place, value);
  if (apiVersion === API_VERSION && kind === "DNSRecord") {
    const read = readRecord(value);
    return read.ok ? { kind: "Record", record: read.record } : wrong(place, value, read.errors);
  }
  if (kind.endsWith("List")) {
    return wrong(place, value, [{ field: "kind", rule: "must not be a list: give each object its own document" }]);
  }
  if (!apiVersion.startsWith(GROUP)) return { kind: "Ignored" };
  const known = ["DNSRecord", ...Object.keys(judges)].join(" or ");
  const rule = `must be ${API_VERSION} with kind ${known}: no other of ${GROUP} is read from files`;
  return wrong(place, value, [{ field: "apiVersion", value: `${apiVersion} ${kind}`, rule }]);
}

const isBlank = ({ contents, errors }: Yaml) =>
  errors.length === 0 && (contents === null || (isScalar(contents) && contents.value === null));

function readSecret(place: Place, value: unknown): Read {
  const result = secretManifest.safeParse(value);
  if (!result.success) return wrong(place, value, fieldErrors(result.error, value));
  return { kind: "Secret", key: recordKey(result.data.metadata), values: secretValues(result.data) };
}

function judged(place: Place, value: unknown, errors: FieldError[]): Read {
  return errors.length > 0 ? wrong(place, value, errors) : { kind: "Judged", key: keyOf(value) ?? "" };
}

function wrong(place: Place, value: unknown, errors: FieldError[]): Read {
  const key = keyOf(value);
  const faults = errors.map((error) => at(place, offsetOf(place.document, error.field), error));
  return { kind: "Wrong", ...(key !== undefined && { key }), faults };
}

function keyOf(value: unknown): string | undefined {
  const name = named.safeParse(value);
  return name.success ? recordKey(name.data.metadata) : undefined;
}

function at({ lines }: Place, offset: number, fault: Omit<Fault, "line" | "column">): Fault {
  const { line, col } = lines.linePos(offset);
  return { line, column: col, ...fault };
}

const startOf = (document: Yaml) => document.contents?.range[0] ?? document.range[0];

/**
 * The offset of a field such as `spec.endpoints[1].targets`. If it is missing, the offset of the innermost existing
 * parent.
 */
function offsetOf(document: Yaml, field: string): number {
  const path = field.split(/[.[\]]+/).filter((part) => part !== "");
  for (let length = path.length; length > 0; length -= 1) {
    const steps = path.slice(0, length).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    const node: unknown = document.getIn(steps, true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return startOf(document);
}

/**
 * Undefined if the document has no value, for example because of an alias without an anchor or an expansion of aliases.
 */
function toValue(document: Yaml): unknown {
  try {
    return document.toJS();
  } catch {
    return undefined;
  }
}

/** The part after a colon can quote the file, and so a secret. */
const yamlRule = ({ message, code }: { message: string; code: string }) =>
  `is no valid YAML: ${message.split(":")[0]} (${code})`;
