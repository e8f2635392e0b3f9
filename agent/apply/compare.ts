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
