import { formatFieldError } from "../../shared/model/field-error.ts";
import type { FileContent, ManifestProblem } from "./manifest-file.ts";
import { type Fault, type ManifestDocument, readDocuments } from "./yaml-documents.ts";

/** Reads the manifests of one file. A document that is wrong is reported with line, column and field, and stops no other. */
export function parseManifests(text: string, file: string): FileContent {
  return contentOf(readDocuments(text), file);
}

/** What the documents of a file come to. */
export function contentOf(documents: readonly ManifestDocument[], file: string): FileContent {
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
