import { recordSpec } from "../../../shared/model/record.ts";
import { remembered } from "./memoize.ts";

const parse = remembered((spec: object) => recordSpec.safeParse(spec));

/** Parses the spec of a record. To do it once for each counts: there may be thousands, and each change looks at all. */
export const parseSpec = (spec: unknown) =>
  typeof spec === "object" && spec !== null ? parse(spec) : recordSpec.safeParse(spec);
