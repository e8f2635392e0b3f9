import type { z } from "zod";
import { fieldErrors } from "../../shared/model/field-error.ts";
import { fail } from "./responses.ts";
import type { ApiContext } from "./route.ts";

const MAX_JSON_BYTES = 64 * 1024;

/** Reads the body as text, byte for byte. Fails if it exceeds the limit or is not UTF-8. */
export async function readText(context: ApiContext, limitBytes: number): Promise<string> {
  const tooLarge = () => fail("BodyTooLarge", `The limit is ${limitBytes} bytes.`);
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

/** Reads and validates a JSON body. Fails with every field that breaks its rule. */
export async function readJson<Schema extends z.ZodType>(
  context: ApiContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const json = parse(await readText(context, MAX_JSON_BYTES));
  const result = schema.safeParse(json);
  return result.success ? result.data : fail("FieldInvalid", undefined, fieldErrors(result.error, json));
}

/** Keeps a byte order mark, since the signature covers every byte. */
function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail("MalformedBody", "The body is not UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fail("MalformedBody", "The body is not JSON.");
  }
}

/** Fails if the query has an unknown parameter. Otherwise a misspelt one would be ignored silently. */
export function refuseUnknownQuery(context: ApiContext, known: readonly string[]): void {
  const unknown = Object.keys(context.req.query()).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const rule = `is unknown; known are ${known.join(", ")}`;
  fail(
    "FieldInvalid",
    undefined,
    unknown.slice(0, 10).map((name) => ({ field: name.slice(0, 100), rule })),
  );
}

/**
 * Whether a browser sent the request from another origin. Only hosts are compared, since a proxy that ends TLS changes
 * the scheme. Without an Origin header, the client is no browser, or the page itself reads.
 */
export function isCrossOrigin({ req }: ApiContext): boolean {
  const origin = req.header("origin");
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== new URL(req.url).host;
}
