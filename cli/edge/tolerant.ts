import { z } from "zod";

/**
 * Derives a schema that reads data of another version. Unknown fields and enum values pass unchanged. A missing field
 * or another type is still an error.
 */
export function tolerant<Schema extends z.ZodType>(schema: Schema): z.ZodType<z.output<Schema>> {
  return widened(schema) as z.ZodType<z.output<Schema>>;
}

function widened(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries(schema.shape).map(([name, field]) => [name, widened(field as z.core.$ZodType)]);
    return z.looseObject(Object.fromEntries(shape));
  }
  if (schema instanceof z.ZodArray) return z.array(widened(schema.element));
  if (schema instanceof z.ZodOptional) return z.optional(widened(schema.unwrap()));
  if (schema instanceof z.ZodEnum) return z.string();
  return schema;
}
