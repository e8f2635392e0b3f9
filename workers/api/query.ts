import { fail } from "./answers.ts";
import type { ApiContext } from "./route.ts";

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
