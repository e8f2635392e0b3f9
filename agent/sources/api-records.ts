import { z } from "zod";
import { fieldErrors, formatFieldError } from "../../shared/model/field-error.ts";
import { API_VERSION, secretManifest } from "../../shared/model/manifest.ts";
import type { FieldError } from "../../shared/model/problem.ts";
import { type KubeObject, refKey } from "../kubernetes/object.ts";
import { headersOf, type SecretReading, secretValues } from "./header-secret.ts";
import type { OwnRecord } from "./manifest-file.ts";
import type { ManifestRecord } from "./record.ts";
import { readRecord } from "./record.ts";

const MAX_ERRORS_NAMED = 5;
const MAX_REFUSAL_CHARACTERS = 1_000;

export interface KubernetesInput {
  /** All `DNSRecord`s of the cluster. */
  records: readonly KubeObject[];
  /** Whether a record is to be pushed and published. It is not while it is being deleted or lacks our finalizer. */
  isMember: (record: KubeObject) => boolean;
  /** The Secret at `namespace/name`, or undefined if it does not exist. */
  secretAt: (key: string) => KubeObject | undefined;
  /** Why the Secret at `namespace/name` cannot be read, without any value; undefined if it can. */
  secretError: (key: string) => string | undefined;
  /** The records as last read, with the last valid forms of records that are invalid now. */
  before: readonly OwnRecord[];
}

/** An invalid record without a known valid form. Its endpoints are not published. */
export interface RefusedRecord {
  object: KubeObject;
  /** The fields and the rules that they break. */
  refusal: string;
}

export interface KubernetesRecords {
  records: OwnRecord[];
  /** One line each, sorted. */
  problems: string[];
  refused: RefusedRecord[];
}

/**
 * Reads the records of this cluster from objects of the API. An invalid record keeps its last valid form and gets a
 * `refusal`. It does not affect other records.
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

/** Items of an API list lack kind and apiVersion. */
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
 * The former specs of a record, the best first: as last read, as stored in its status, or its endpoints in DNS. The
 * last one keeps a record in DNS that was edited wrongly while no agent ran.
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

/** Forms of the spec with the endpoints that are in DNS. The later forms omit parts that may be the invalid ones. */
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
