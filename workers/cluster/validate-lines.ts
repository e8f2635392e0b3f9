import { hostFaults } from "../../shared/allowed-hosts.ts";
import type { Condition } from "../../shared/model/condition.ts";
import { formatFieldError } from "../../shared/model/field-error.ts";
import type { SnapshotRecord } from "../../shared/model/messages/snapshot.ts";
import type { FieldError } from "../../shared/model/problem.ts";
import { readTree } from "../../shared/record/tree.ts";
import type { SnapshotLine } from "../../shared/snapshot.ts";
import { type PortRange, portFault } from "../allowed-ports.ts";

const MAX_MESSAGE_CHARACTERS = 1_000;
/** Each of the twins names them: all of all would be the square of what a snapshot can hold. */
const MAX_TWINS_NAMED = 10;

export const ACCEPTED: Condition = { type: "Accepted", status: "True", reason: "Accepted", message: "" };

/** What becomes of one line: a record to take, or why it is refused. Refused lines whose key is unreadable have none. */
export type ValidatedLine =
  | { line: number; key: string; record: SnapshotRecord; spec: unknown; leaves: number }
  | RefusedLine;
export type RefusedLine = { line: number; key?: string; refused: Condition };

/** What the records of a cluster may name. */
export type Allowed = { hosts: readonly string[]; ports: readonly PortRange[] };

/**
 * Validates each line on its own: fields, allowed hosts and ports, and the graph of the endpoints. If a key occurs
 * twice, both lines are refused. One refused line never stops another.
 */
export function validateLines(lines: readonly SnapshotLine[], allowed: Allowed): ValidatedLine[] {
  const linesOf = Map.groupBy(lines, ({ key }) => key);
  return lines.map((line) => {
    const twins = line.key === undefined ? [] : (linesOf.get(line.key) ?? []);
    if (twins.length > 1) return duplicate(line, twins);
    return line.ok ? judgeRecord(line, allowed) : refusal(line, "FieldInvalid", line.errors);
  });
}

function judgeRecord(line: Extract<SnapshotLine, { ok: true }>, { hosts, ports }: Allowed): ValidatedLine {
  const { record, spec, key } = line;
  const hostErrors = hostFaults(record.spec, hosts);
  if (hostErrors.length > 0) return refusal(line, "HostNotAllowed", hostErrors);
  const portErrors = portFaults(record.spec, ports);
  if (portErrors.length > 0) return refusal(line, "PortNotAllowed", portErrors);
  const tree = readTree(record.spec.endpoints);
  if (!tree.ok) return refusal(line, "EndpointsInvalid", tree.errors.map(underSpec));
  return { line: line.line, key, record, spec, leaves: tree.tree.leaves.length };
}

function portFaults({ healthCheck }: SnapshotRecord["spec"], ports: readonly PortRange[]): FieldError[] {
  if (healthCheck === undefined) return [];
  const rule = portFault(healthCheck.port, ports);
  return rule === undefined ? [] : [{ field: "spec.healthCheck.port", value: `${healthCheck.port}`, rule }];
}

const underSpec = (error: FieldError): FieldError => ({ ...error, field: `spec.${error.field}` });

function duplicate(line: SnapshotLine, twins: readonly SnapshotLine[]): RefusedLine {
  const named = twins.slice(0, MAX_TWINS_NAMED).map((twin) => twin.line);
  const more = twins.length > named.length ? ` and ${twins.length - named.length} more` : "";
  const rule = `is given more than once, on lines ${named.join(", ")}${more}: none is taken`;
  return refusal(line, "DuplicateRecord", [{ field: "namespace/name", value: line.key ?? "", rule }]);
}

function refusal(line: SnapshotLine, reason: string, errors: readonly FieldError[]): RefusedLine {
  const message = errors.map(formatFieldError).join("; ").slice(0, MAX_MESSAGE_CHARACTERS);
  const refused: Condition = { type: "Accepted", status: "False", reason, message };
  return { line: line.line, ...(line.key !== undefined && { key: line.key }), refused };
}
