import type { z } from "zod";

type Json = z.core.JSONSchema.BaseSchema;
/** A structural schema in the form that `apiextensions.k8s.io/v1` asks for. */
export type Structural = Record<string, unknown>;

/** What a status is not given: it holds what the agent wrote, and the API server neither adds to it nor judges it. */
const NOT_IN_STATUS = ["default", "x-kubernetes-validations"];
const KEPT = [
  "type",
  "format",
  "enum",
  "default",
  "pattern",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "maxProperties",
  "required",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
];

/**
 * Turns a JSON schema of zod into a structural schema of Kubernetes.
 *
 * @param path where the schema stands, for messages: `spec.endpoints[]`
 * @throws where a field has no description, or a form that structural schemas do not know
 */
export function structural(schema: Json, path: string): Structural {
  const { description } = schema;
  if (description === undefined && !/[\]*]$/.test(path)) throw new Error(`${path} has no description`);
  return { ...(description !== undefined && { description }), ...formOf(schema, path) };
}

function formOf(schema: Json, path: string): Structural {
  const isKept = (key: string) =>
    schema[key] !== undefined && !(path.startsWith("status") && NOT_IN_STATUS.includes(key));
  const kept = Object.fromEntries(KEPT.filter(isKept).map((key) => [key, schema[key]]));
  if (schema.anyOf !== undefined) return { "x-kubernetes-int-or-string": true, ...intOrString(schema, path), ...kept };
  if (schema.const !== undefined) return { ...kept, enum: [schema.const] };
  if (schema.type === "integer") return { ...kept, ...bounds(schema) };
  if (schema.type === "array")
    return { "x-kubernetes-list-type": "atomic", ...kept, items: below(schema.items, `${path}[]`) };
  if (schema.type === "object") return { ...kept, ...membersOf(schema, path) };
  if (typeof schema.type !== "string") throw new Error(`${path} has a form that a structural schema cannot have`);
  return kept;
}

/** The only union that a structural schema has. What each side allows is for a CEL rule to say. */
function intOrString(schema: Json, path: string): Structural {
  const types = new Set(schema.anyOf?.map((option) => typeof option === "object" && option.type));
  if (types.size === 2 && types.has("integer") && types.has("string")) return {};
  throw new Error(`${path} is a union of other things than a number and a string`);
}

/** Bounds that zod gives all whole numbers say nothing. */
function bounds({ minimum, maximum }: Json): Structural {
  return {
    minimum: minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum,
    maximum: maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum,
  };
}

function membersOf(schema: Json, path: string): Structural {
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return {};
  if (schema.properties === undefined) return { additionalProperties: below(schema.additionalProperties, `${path}.*`) };
  const members = Object.entries(schema.properties).map(([name, member]) => [name, below(member, `${path}.${name}`)]);
  return { properties: Object.fromEntries(members) };
}

function below(schema: Json["items"] | Json["not"], path: string): Structural {
  if (typeof schema === "object" && !Array.isArray(schema)) return structural(schema, path);
  throw new Error(`${path} has no schema of its own`);
}
