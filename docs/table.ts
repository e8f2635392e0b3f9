import type { z } from "zod";

type Schema = z.core.JSONSchema.BaseSchema;

/** A Markdown table of all fields of an object schema, nested ones by their path (`spec.endpoints[].targets`). */
export function fieldTable(schema: Schema): string {
  return ["| field | type | default | meaning |", "|---|---|---|---|", ...rows(schema, "")].join("\n").concat("\n");
}

function rows(schema: Schema, path: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    if (typeof property === "boolean") return [];
    const field = path === "" ? name : `${path}.${name}`;
    const needed = schema.required?.includes(name) ?? false;
    const cells = [
      `\`${field}\``,
      typeOf(property),
      needed ? "required" : defaultOf(property),
      property.description ?? "",
    ];
    const items = itemsOf(property);
    const below = items ? rows(items, `${field}[]`) : rows(property, field);
    return [`| ${cells.map(escaped).join(" | ")} |`, ...below];
  });
}

const escaped = (cell: string) => cell.replaceAll("|", "\\|");

const defaultOf = (schema: Schema) => (schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``);

function itemsOf(schema: Schema): Schema | undefined {
  const { items } = schema;
  return typeof items === "object" && !Array.isArray(items) ? items : undefined;
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema.anyOf)
    return schema.anyOf.map((option) => (typeof option === "boolean" ? "any" : typeOf(option))).join(" or ");
  const items = itemsOf(schema);
  if (items) return `list of ${typeOf(items)}`;
  if (schema.type === "integer") return range(schema);
  return typeof schema.type === "string" ? schema.type : "any";
}

function range(schema: Schema): string {
  const { minimum, maximum } = schema;
  const bounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  if (minimum === undefined || minimum === Number.MIN_SAFE_INTEGER) return "whole number";
  return bounded ? `${minimum} to ${maximum}` : `whole number from ${minimum}`;
}
