import { z } from "zod";
import type { StatusCondition } from "../../shared/model/condition.ts";
import { recordSpec } from "../../shared/model/record.ts";
import { type Acceptance, digestOf } from "../plan/accepted-specs.ts";
import { publishedForms } from "../sources/api-records.ts";
import type { OwnRecord } from "../sources/collect.ts";
import { conditionsOf } from "./read-status.ts";

const remembered = z.object({
  lastAccepted: z.object({ spec: z.unknown() }).optional().catch(undefined),
  published: z.array(z.unknown()).min(1).optional().catch(undefined),
});

/**
 * What the edge said of the record as it stands, and the form that it took last. Of a record that was edited while no agent ran
 * nobody knows that form any more; what is in DNS stands in for it, should the edge refuse the new one.
 */
export function acceptanceOf(record: OwnRecord, status: unknown): Acceptance {
  if (record.refusal !== undefined) return {};
  const { lastAccepted, published = [] } = remembered.safeParse(status).data ?? {};
  const said = saidOf(record, conditionsOf(status));
  if (said?.status === "True") return { answer: answerOf(record, said) };
  const former = lastAccepted?.spec ?? (said === undefined ? formOf(record, published) : undefined);
  return { ...(said && { answer: answerOf(record, said) }), ...(former !== undefined && { acceptedSpec: former }) };
}

/** The edge's word on this very generation. */
function saidOf({ generation }: OwnRecord, conditions: readonly StatusCondition[]): StatusCondition | undefined {
  const accepted = conditions.find(({ type }) => type === "Accepted");
  if (generation === undefined || accepted?.observedGeneration !== generation) return undefined;
  return accepted.status === "Unknown" ? undefined : accepted;
}

function answerOf(record: OwnRecord, { type, status, reason, message }: StatusCondition): Acceptance["answer"] {
  return { digest: digestOf(record.specInput), condition: { type, status, reason, message } };
}

function formOf({ specInput }: OwnRecord, published: readonly unknown[]): unknown {
  if (published.length === 0) return undefined;
  return publishedForms(specInput, published).find((form) => recordSpec.safeParse(form).success);
}
