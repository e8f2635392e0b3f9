import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fieldErrors, formatFieldError } from "./field-error.ts";
import { recordManifest } from "./manifest.ts";

/*
 * Every kind of bad manifest has its exact message beside it. A fixture begins with one `# expect:` line for each fault, in the
 * order of the messages. What the API server says to them is tried in `test/cluster/crds.test.ts`.
 */
const FOLDER = join(import.meta.dirname, "fixtures");
const fixtures = readdirSync(FOLDER).filter((file) => file.startsWith("invalid-"));

describe("bad manifests and what is said of them", () => {
  it.each(fixtures)("%s", (file) => {
    const text = readFileSync(join(FOLDER, file), "utf8");
    const expected = [...text.matchAll(/^# expect: (.*)$/gm)].map(([, message]) => message);
    expect(expected.length).toBeGreaterThan(0);
    const input: unknown = parse(text);
    const result = recordManifest.safeParse(input);
    const told = result.success ? [] : fieldErrors(result.error, input).map(formatFieldError);
    expect(told).toEqual(expected);
  });
});
