import { z } from "zod";
import { endpoint } from "../../shared/model/endpoint.ts";
import { fieldErrors, formatFieldError } from "../../shared/model/field-error.ts";
import { dnsName } from "../../shared/model/host.ts";
import { messageNumber } from "../../shared/model/number.ts";
import type { FieldError } from "../../shared/model/problem.ts";

/*
 * A delivery as the agent reads it. Readers are tolerant (design §2): what goes into DNS is checked as strictly as a
 * manifest, each record for itself; what is only shown may be of a kind that this agent does not know yet.
 */

/** Unix ms, within what RFC 3339 can hold. */
const time = z.int().nonnegative().max(253_402_300_799_999);
const shownTime = time.optional().catch(undefined);
const condition = z.object({ type: z.string(), status: z.string(), reason: z.string(), message: z.string() });

const region = z.object({
  region: z.string(),
  freshness: z.string(),
  counts: z.object({ failures: z.number(), successes: z.number(), says: z.string() }),
  checkedAt: shownTime,
  colo: z.string().optional().catch(undefined),
  observation: z
    .object({
      reason: z.string(),
      message: z.string().optional().catch(undefined),
      at: shownTime,
      httpStatus: z.int().optional().catch(undefined),
      tls: z
        .object({
          expiresAt: shownTime,
          notAfter: shownTime,
          skipped: z.object({ reason: z.string() }).optional().catch(undefined),
        })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});
export type DeliveredRegion = z.output<typeof region>;

/** Those regions that can be read. */
const regions = z
  .array(region.optional().catch(undefined))
  .transform((list) => list.filter((one) => one !== undefined))
  .catch([]);

export const deliveredProbe = z.object({
  cluster: z.string(),
  record: z.string(),
  leaf: z.string(),
  verdict: z.string(),
  since: time,
  consecutiveFailures: z.number(),
  failureThreshold: z.number(),
  regions,
  resting: condition.optional().catch(undefined),
});

export const deliveredRecord = z.object({
  rootHost: dnsName,
  whenSilent: z.enum(["Publish", "Freeze"]),
  endpoints: z.array(endpoint),
  shares: z.array(z.object({ cluster: z.string(), record: z.string(), conditions: z.array(condition).catch([]) })),
  leaves: z.array(z.object({ leaf: z.string(), published: z.boolean(), reason: z.string() })).catch([]),
  probes: z.array(deliveredProbe),
  decidedAt: time,
});
export type DeliveredRecord = z.output<typeof deliveredRecord>;
export type DeliveredProbe = z.output<typeof deliveredProbe>;

const head = {
  version: z.literal(1),
  cluster: z.string(),
  number: messageNumber,
  sentAt: time,
};
const records = z.array(z.unknown());
const message = z.discriminatedUnion("kind", [
  z.object({ ...head, kind: z.literal("Full"), records }),
  z.object({ ...head, kind: z.literal("Changes"), since: messageNumber, records, removed: z.array(z.string()) }),
  z.object({ ...head, kind: z.literal("Contact") }),
]);
type Of<Kind> = Extract<z.output<typeof message>, { kind: Kind }>;

interface ReadRecords {
  records: DeliveredRecord[];
  /** Records that were not taken, in words. */
  refused: string[];
}
export type ReadFull = Omit<Of<"Full">, "records"> & ReadRecords;
export type ReadChanges = Omit<Of<"Changes">, "records"> & ReadRecords;
export type ReadDelivery = ReadFull | ReadChanges | Of<"Contact">;

/** Reads a delivery; one bad record never stops the good ones, and one that reaches beyond its root host is bad. */
export function readDelivery(
  json: unknown,
): { ok: true; delivery: ReadDelivery } | { ok: false; errors: FieldError[] } {
  const { data, error } = message.safeParse(json);
  if (error !== undefined) return { ok: false, errors: fieldErrors(error, json) };
  return { ok: true, delivery: data.kind === "Contact" ? data : { ...data, ...readRecords(data.records) } };
}

function readRecords(given: readonly unknown[]): ReadRecords {
  const read = given.map((record, index) => readDeliveredRecord(record, `records[${index}]`));
  return {
    records: read.filter((one) => typeof one !== "string"),
    refused: read.filter((one) => typeof one === "string"),
  };
}

/** Reads one record, or says in words why it is not taken; `field` is where it stands. */
export function readDeliveredRecord(json: unknown, field: string): DeliveredRecord | string {
  const result = deliveredRecord.safeParse(json);
  if (!result.success) return fieldErrors(result.error, json, field).map(formatFieldError).join("; ");
  const { rootHost, endpoints } = result.data;
  const foreign = endpoints.find(({ dnsName: name }) => !isUnder(rootHost, name));
  if (foreign === undefined) return result.data;
  return `${field}: ${foreign.dnsName} is not under the rootHost ${rootHost}`;
}

/** Whether a name is the root host or under it. */
export function isUnder(rootHost: string, name: string): boolean {
  const apex = rootHost.replace(/^\*\./, "");
  return name === rootHost || name === apex || name.endsWith(`.${apex}`);
}
