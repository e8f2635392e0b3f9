import type { z } from "zod";
import { fieldErrors } from "../../shared/model/field-error.ts";
import { fail } from "./answers.ts";
import type { ApiContext } from "./route.ts";

const MAX_JSON_BYTES = 64 * 1024;

/** The body as text, byte for byte, or a problem where it is larger than the limit or no UTF-8. */
export async function readText(context: ApiContext, limitBytes: number): Promise<string> {
  const tooLarge = () => fail("BodyTooLarge", `At most ${limitBytes} bytes are taken.`);
  if (Number(context.req.header("content-length") ?? 0) > limitBytes) tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of context.req.raw.body ?? []) {
    length += chunk.length;
    if (length > limitBytes) tooLarge();
    chunks.push(chunk);
  }
  return decode(await new Blob(chunks).arrayBuffer());
}

/** The body as JSON by a schema, or a problem that names every field that breaks its rule. */
export async function readJson<Schema extends z.ZodType>(
  context: ApiContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const json = parse(await readText(context, MAX_JSON_BYTES));
  const result = schema.safeParse(json);
  return result.success ? result.data : fail("FieldInvalid", undefined, fieldErrors(result.error, json));
}

/** A byte order mark is kept: what is signed is every byte. */
function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail("MalformedBody", "It is not UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fail("MalformedBody", "It is not JSON.");
  }
}
