import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "../../kubernetes/object.ts";
import { parseSpec } from "./parse-spec.ts";

type Texts = Readonly<Record<string, string>>;

/**
 * Whether a DNSRecord says what is wanted of it. Labels and annotations of others are no difference, nor is how the same spec
 * is written: the API server fills in defaults.
 */
export function isAsWanted(actual: KubeObject, wanted: KubeObject): boolean {
  const { labels, annotations, ownerReferences = [] } = wanted.metadata;
  const there = actual.metadata;
  return (
    hasAll(there.labels, labels) &&
    hasAll(there.annotations, annotations) &&
    ownerReferences.every(({ uid }) => there.ownerReferences?.some((one) => one.uid === uid)) &&
    isSameSpec(actual.spec, wanted.spec)
  );
}

const hasAll = (there: Texts = {}, wanted: Texts = {}) =>
  Object.entries(wanted).every(([name, value]) => there[name] === value);

/** How the same is written is no difference. */
function isSameSpec(actual: unknown, wanted: unknown): boolean {
  return isDeepStrictEqual(parseSpec(actual).data ?? actual, parseSpec(wanted).data ?? wanted);
}
