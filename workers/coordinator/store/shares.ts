import { z } from "zod";
import { condition } from "../../../shared/model/condition.ts";
import { sealedHeaders } from "../../../shared/model/probe.ts";
import { recordSpec } from "../../../shared/model/record.ts";
import { jsonTable } from "./json-table.ts";

/** The last accepted form of a share. */
const row = z
  .object({
    cluster: z.string(),
    /** `namespace/name` */
    record: z.string(),
    uid: z.string().optional(),
    generation: z.int().optional(),
    /** In manifest form: every code that reads it parses it again. One that this code cannot read is a bad row. */
    specInput: z.unknown(),
    headers: sealedHeaders.optional(),
    resting: condition.optional(),
    /** Why its newest form was refused, where it was; this one stays in force. */
    refusal: condition.optional(),
    /** Place in the order in which shares were first seen: the older one holds. */
    seniority: z.int(),
  })
  .transform((value, context) => {
    const spec = recordSpec.safeParse(value.specInput);
    if (spec.success) return { ...value, spec: spec.data };
    context.addIssue({ code: "custom", message: "cannot be read", path: ["specInput"] });
    return z.NEVER;
  });
export type ShareRow = z.output<typeof row>;

/** Key: `cluster/namespace/name`. */
export const sharesTable = (sql: SqlStorage) => jsonTable(sql, "shares", row);
