import type { KubeObject } from "../kubernetes/object.ts";

/*
 * Compares desired objects with actual ones. Fields that other writers added are no difference. Lists are compared as a whole
 * (atomic in the API), except those that are maps by a key (`x-kubernetes-list-type: map`).
 */

const LIST_KEYS: Readonly<Record<string, string>> = { conditions: "type", regions: "region", ownerReferences: "uid" };
/** Times that change with every check. They alone are no reason to write. */
const TIME_FIELDS: ReadonlySet<string> = new Set(["lastCheckedAt"]);

export interface CompareOptions {
  ignoreTimes: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether the actual value has everything that the desired one has. */
export function contains(actual: unknown, wanted: unknown, options: CompareOptions): boolean {
  if (!isFields(wanted)) return isSame(actual, wanted, options);
  return (
    isFields(actual) && entriesOf(wanted, options).every(([name, value]) => hasField(actual, name, value, options))
  );
}

function hasField(actual: Fields, name: string, wanted: unknown, options: CompareOptions): boolean {
  const key = LIST_KEYS[name];
  const there = actual[name];
  if (key === undefined || !isListMap(wanted, key)) return contains(there, wanted, options);
  if (wanted.length === 0) return Array.isArray(there);
  return (
    isListMap(there, key) &&
    wanted.every((item) =>
      contains(
        there.find((one) => one[key] === item[key]),
        item,
        options,
      ),
    )
  );
}

const isListMap = (value: unknown, key: string): value is Fields[] =>
  Array.isArray(value) && value.every((item) => isFields(item) && typeof item[key] === "string");

/** Whether both are equal. The order of fields does not count. */
function isSame(one: unknown, other: unknown, options: CompareOptions): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index], options));
  if (!isFields(one) || !isFields(other)) return one === other;
  const entries = entriesOf(one, options);
  return (
    entries.length === entriesOf(other, options).length &&
    entries.every(([name, value]) => Object.hasOwn(other, name) && isSame(value, other[name], options))
  );
}

function entriesOf(fields: Fields, { ignoreTimes }: CompareOptions): [string, unknown][] {
  return Object.entries(fields).filter(
    ([name, value]) => value !== undefined && !(ignoreTimes && TIME_FIELDS.has(name)),
  );
}

/** The value as text, with its fields in a fixed order and without the times of checks. Equal for values that `contains` takes for equal. */
export function textWithoutTimes(value: unknown): string {
  return JSON.stringify(value, (name, item: unknown) => {
    if (TIME_FIELDS.has(name)) return undefined;
    if (!isFields(item)) return item;
    return Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

export const isTimeField = (name: string) => TIME_FIELDS.has(name);

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
