import { z } from "zod";
import { fieldErrors } from "./model/field-error.ts";
import {
  MAX_SNAPSHOT_BYTES,
  type SnapshotHeader,
  type SnapshotRecord,
  type SnapshotRecordInput,
  snapshotHeader,
  snapshotRecord,
} from "./model/messages/snapshot.ts";
import type { FieldError } from "./model/problem.ts";
import { objectName, recordKey } from "./model/record.ts";

/*
 * A snapshot on the wire: NDJSON, the header on the first line and one record on each further one (docs/design/cluster.md,
 * snapshot).
 *
 * It is pushed with `If-Match` naming the entity tag of the last answer. The first push of all carries none. If the edge has a
 * snapshot, a push without a tag gets 428, and one with another tag gets 412. Both answers carry the current tag, or no tag if
 * the edge lost its storage. The sender pushes again, whole, with that tag.
 */

/** A row of the edge's storage holds 2 MB, and a character of a line may take three bytes. */
const MAX_LINE_CHARACTERS = 500_000;

/** One record line as read: the parsed record with its spec as it was given, or what is wrong with it. */
export type SnapshotLine =
  | { line: number; ok: true; key: string; record: SnapshotRecord; spec: unknown }
  | { line: number; ok: false; key?: string; errors: FieldError[] };

export type DecodedSnapshot =
  | { ok: true; header: z.output<typeof snapshotHeader>; lines: SnapshotLine[] }
  | { ok: false; errors: FieldError[] };

/** Writes a snapshot; the count of the records is filled in here. Throws a RangeError above {@link MAX_SNAPSHOT_BYTES}. */
export function encodeSnapshot(
  header: Omit<SnapshotHeader, "version" | "records">,
  records: readonly SnapshotRecordInput[],
): string {
  const first: SnapshotHeader = { version: 1, ...header, records: records.length };
  const text = [first, ...records].map((line) => `${JSON.stringify(line)}\n`).join("");
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MAX_SNAPSHOT_BYTES) {
    throw new RangeError(`The snapshot has ${bytes} bytes; at most ${MAX_SNAPSHOT_BYTES} are taken.`);
  }
  return text;
}

/**
 * Reads a snapshot. It is refused as a whole when the header is wrong or lines are missing (the body was cut off). A wrong record
 * is refused alone. Its fault has the line (the header is line 1) and, where readable, the key.
 */
export function decodeSnapshot(text: string): DecodedSnapshot {
  const [first = "", ...rest] = text.split("\n");
  const json = parseJson(first);
  if (json === undefined)
    return { ok: false, errors: [{ field: "line 1", rule: "must be a JSON object: the header" }] };
  const header = snapshotHeader.safeParse(json);
  if (!header.success) return { ok: false, errors: fieldErrors(header.error, json, "line 1") };
  if (rest.at(-1) === "") rest.pop();
  if (rest.length !== header.data.records) {
    const rule = `does not fit the ${rest.length} lines that follow: the body was cut off or counted wrongly`;
    return { ok: false, errors: [{ field: "line 1.records", value: `${header.data.records}`, rule }] };
  }
  return { ok: true, header: header.data, lines: rest.map((line, index) => decodeLine(line, index + 2)) };
}

function decodeLine(text: string, line: number): SnapshotLine {
  const json = parseJson(text);
  if (json === undefined) return { line, ok: false, errors: [{ field: "(whole)", rule: "must be a JSON object" }] };
  const named = names.safeParse(json);
  const key = named.success ? { key: recordKey(named.data) } : {};
  if (text.length > MAX_LINE_CHARACTERS) return { line, ok: false, ...key, errors: [TOO_LONG] };
  const result = snapshotRecord.safeParse(json);
  if (!result.success) return { line, ok: false, ...key, errors: fieldErrors(result.error, json) };
  return { line, ok: true, key: recordKey(result.data), record: result.data, spec: json.spec };
}

const TOO_LONG: FieldError = { field: "(whole)", rule: `must be at most ${MAX_LINE_CHARACTERS} characters long` };

const names = z.looseObject({ namespace: objectName, name: objectName });

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null && !Array.isArray(json) ? { ...json } : undefined;
  } catch {
    return undefined;
  }
}
