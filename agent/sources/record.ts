import { z } from "zod";
import { fieldErrors } from "../../shared/model/field-error.ts";
import { recordManifest } from "../../shared/model/manifest.ts";
import type { FieldError } from "../../shared/model/problem.ts";
import { type RecordSpec, recordKey } from "../../shared/model/record.ts";
import { readTree } from "../../shared/record/tree.ts";

/** A `DNSRecord` from a file or the API server. */
export interface ManifestRecord {
  /** `namespace/name` */
  key: string;
  namespace: string;
  name: string;
  uid?: string;
  generation?: number;
  /** RFC 3339; only for objects of the API. */
  createdAt?: string;
  spec: RecordSpec;
  /** The spec before parsing, as snapshots and the state file hold it. */
  specInput: unknown;
}

type ReadRecord = { ok: true; record: ManifestRecord } | { ok: false; errors: FieldError[] };

const given = z.object({
  metadata: z.object({ creationTimestamp: z.iso.datetime({ offset: true }).optional().catch(undefined) }),
  spec: z.unknown(),
});

/** Parses a `DNSRecord` of a file or the API server, or returns the fields and the rules that they break. */
export function readRecord(manifest: unknown): ReadRecord {
  const result = recordManifest.safeParse(manifest);
  if (!result.success) return { ok: false, errors: fieldErrors(result.error, manifest) };
  const { metadata, spec } = result.data;
  const tree = readTree(spec.endpoints);
  if (!tree.ok) {
    return { ok: false, errors: tree.errors.map((error) => ({ ...error, field: `spec.${error.field}` })) };
  }
  const asGiven = given.parse(manifest);
  const createdAt = asGiven.metadata.creationTimestamp;
  const record: ManifestRecord = {
    key: recordKey(metadata),
    namespace: metadata.namespace,
    name: metadata.name,
    ...(metadata.uid !== undefined && { uid: metadata.uid }),
    ...(metadata.generation !== undefined && { generation: metadata.generation }),
    ...(createdAt !== undefined && { createdAt }),
    spec,
    specInput: asGiven.spec,
  };
  return { ok: true, record };
}
