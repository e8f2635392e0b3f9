import type { z } from "zod";
import { fieldErrors } from "../../shared/model/field-error.ts";
import { fail } from "./responses.ts";
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

/** Ends the request where its query names what the route does not know: a misspelt one would be passed over in silence. */
export function refuseUnknownQuery(context: ApiContext, known: readonly string[]): void {
  const unknown = Object.keys(context.req.query()).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const rule = `is not known here; known are ${known.join(", ")}`;
  fail(
    "FieldInvalid",
    undefined,
    unknown.slice(0, 10).map((name) => ({ field: name.slice(0, 100), rule })),
  );
}

/**
 * Whether a browser says that another origin sent the request. Hosts are compared, for what ends TLS before the Worker
 * changes the scheme. Who sends no Origin is no browser, or reads from the page itself.
 */
export function isForeign({ req }: ApiContext): boolean {
  const origin = req.header("origin");
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== new URL(req.url).host;
}
