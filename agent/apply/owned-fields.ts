import type { KubeObject } from "../kubernetes/object.ts";
import { type CompareOptions, isFields, isTimeField } from "./compare.ts";

/*
 * Fields that we applied before and no longer want are found in `metadata.managedFields` alone. The server records there which
 * fields each manager set (https://kubernetes.io/docs/reference/using-api/server-side-apply/, `fieldsV1`).
 */

/** The fields that a manager applied, as in `fieldsV1`; undefined if there are none. */
export function ownedFields(object: KubeObject, manager: string, subresource: "" | "status"): unknown {
  const entries = object.metadata.managedFields ?? [];
  return entries.find(
    (entry) => entry.manager === manager && entry.operation === "Apply" && (entry.subresource ?? "") === subresource,
  )?.fieldsV1;
}

/** Whether one of the applied fields is no longer desired. */
export function ownsMore(owned: unknown, wanted: unknown, options: CompareOptions): boolean {
  if (!isFields(owned)) return false;
  return Object.entries(owned).some(([path, below]) => {
    const name = path.slice(2);
    if (path === "." || (options.ignoreTimes && path.startsWith("f:") && isTimeField(name))) return false;
    const value = at(wanted, path.slice(0, 2), name);
    return value === undefined || ownsMore(below, value, options);
  });
}

function at(wanted: unknown, step: string, name: string): unknown {
  if (step === "f:") return isFields(wanted) && Object.hasOwn(wanted, name) ? wanted[name] : undefined;
  if (!Array.isArray(wanted)) return undefined;
  const said: unknown = JSON.parse(name);
  if (step === "v:") return wanted.find((item) => item === said);
  if (!isFields(said)) return undefined;
  return wanted.find((item) => isFields(item) && Object.entries(said).every(([key, value]) => item[key] === value));
}
