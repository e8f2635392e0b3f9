import { z } from "zod";
import { fieldErrors, formatFieldError } from "../../shared/model/field-error.ts";
import { API_VERSION, secretManifest } from "../../shared/model/manifest.ts";
import type { FieldError } from "../../shared/model/problem.ts";
import { type KubeObject, refKey } from "../kubernetes/object.ts";
import { headersOf, type SecretReading, secretValues } from "./header-secret.ts";
import type { ManifestRecord, OwnRecord } from "./manifest-file.ts";
import { readRecord } from "./record.ts";

const MAX_ERRORS_NAMED = 5;
const MAX_REFUSAL_CHARACTERS = 1_000;

export interface KubernetesInput {
  /** All `DNSRecord`s that are known. */
  records: readonly KubeObject[];
  /** Whether a record takes part: one that is being deleted does not, nor one without our finalizer. */
  isMember: (record: KubeObject) => boolean;
  /** The Secret at `namespace/name`, or undefined where there is none. */
  secretAt: (key: string) => KubeObject | undefined;
  /** Why the Secret at `namespace/name` cannot be read, in words that hold no value of it; undefined where it can. */
  secretError: (key: string) => string | undefined;
  /** What was read last: the good forms of records that are wrong now. */
  before: readonly OwnRecord[];
}

/** A record that was refused, and of which no accepted form is known: there is nothing of it to publish. */
export interface RefusedRecord {
  object: KubeObject;
  /** Names field and rule. */
  refusal: string;
}

export interface KubernetesRecords {
  records: OwnRecord[];
  /** One line each, sorted. */
  problems: string[];
  refused: RefusedRecord[];
}

/**
 * The records of this cluster, from objects of the API. One that is refused stands with the form that was accepted last and
 * says why (`refusal`); it stops no other.
 */
export function kubernetesRecords(input: KubernetesInput): KubernetesRecords {
  const before = new Map(input.before.map((record) => [record.key, record]));
  const read = input.records
    .filter(input.isMember)
    .map((object) => readOne(object, before.get(refKey(object.metadata))));
  const records = read.flatMap((one) => ("object" in one ? [] : [one]));
  const refused = read.flatMap((one) => ("object" in one ? [one] : []));
  const problems = [
    ...records.flatMap(({ key, refusal }) => (refusal === undefined ? [] : [`DNSRecord ${key} ${refusal}`])),
    ...refused.map(({ object, refusal }) => `DNSRecord ${refKey(object.metadata)} ${refusal}`),
  ];
  return {
    records: records
      .map((record) => ({ ...record, ...headersOf(record, (key) => readSecret(key, input)) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
    problems: problems.sort(),
    refused,
  };
}

type EffectiveRecord = ManifestRecord & Pick<OwnRecord, "refusal">;

function readOne(object: KubeObject, before: OwnRecord | undefined): EffectiveRecord | RefusedRecord {
  const read = readRecord(manifestOf(object, object.spec));
  if (read.ok) return read.record;
  const refusal = refusalOf(read.errors);
  for (const spec of formerSpecs(object, before)) {
    const former = readRecord(manifestOf(object, spec));
    if (former.ok) return { ...former.record, refusal };
  }
  return { object, refusal };
}

/** Lists of the API name neither kind nor version of their items. */
const manifestOf = ({ metadata }: KubeObject, spec: unknown) => ({
  apiVersion: API_VERSION,
  kind: "DNSRecord",
  metadata,
  spec,
});

const remembered = z.object({
  lastAccepted: z.object({ spec: z.unknown() }).optional().catch(undefined),
  published: z.array(z.unknown()).min(1).optional().catch(undefined),
});

/**
 * What the record said before, the best first: as it was read last, as its status remembers it, or else what of it is in DNS:
 * a record that was edited while no agent ran is not to leave DNS for a slip of the pen.
 */
function formerSpecs({ metadata, spec, status }: KubeObject, before: OwnRecord | undefined): unknown[] {
  const { lastAccepted, published } = remembered.safeParse(status).data ?? {};
  const isSame = before !== undefined && before.uid === metadata.uid;
  return [
    ...(isSame ? [before.specInput] : []),
    ...(lastAccepted === undefined ? [] : [lastAccepted.spec]),
    ...(published === undefined ? [] : publishedForms(spec, published)),
  ];
}

/** The spec as it stands, but with the endpoints that are in DNS; its host alone where the rest of it is what is wrong. */
export function publishedForms(spec: unknown, published: readonly unknown[]): unknown[] {
  const named = z.looseObject({ rootHost: z.string() }).safeParse(spec);
  if (!named.success) return [];
  const { rootHost, healthCheck } = named.data;
  return [
    { ...named.data, endpoints: published },
    { rootHost, endpoints: published, healthCheck },
    { rootHost, endpoints: published },
  ];
}

function refusalOf(errors: readonly FieldError[]): string {
  const named = errors.slice(0, MAX_ERRORS_NAMED).map(formatFieldError).join("; ");
  const more = errors.length > MAX_ERRORS_NAMED ? `; and ${errors.length - MAX_ERRORS_NAMED} more` : "";
  return `${named.slice(0, MAX_REFUSAL_CHARACTERS)}${more}`;
}

function readSecret(key: string, { secretAt, secretError }: KubernetesInput): SecretReading {
  const secret = secretAt(key);
  if (secret === undefined) {
    const trouble = secretError(key);
    return { problem: trouble === undefined ? "does not exist." : `cannot be read: ${trouble}` };
  }
  const manifest = { ...secret, apiVersion: "v1", kind: "Secret" };
  const result = secretManifest.safeParse(manifest);
  if (result.success) return { values: secretValues(result.data) };
  return { problem: `is wrong: ${fieldErrors(result.error, manifest).map(formatFieldError).join("; ")}` };
}
