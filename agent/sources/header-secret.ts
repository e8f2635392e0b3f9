import type { z } from "zod";
import { checkHeaders } from "../../shared/headers.ts";
import { formatFieldError } from "../../shared/model/field-error.ts";
import type { secretManifest } from "../../shared/model/manifest.ts";
import type { ManifestRecord } from "./record.ts";

/**
 * The headers of a record's probes, or why they are missing. The probes are then suspended, and what is published
 * stays.
 */
export interface Headers {
  headers?: Record<string, string>;
  /** A message for people that never contains a value. */
  headersProblem?: string;
}

/** The values of a Secret by header name, or a problem, worded to follow the Secret's name. */
export type SecretReading = { values: Readonly<Record<string, string>> } | { problem: string };

const MAX_PROBLEM_CHARACTERS = 300;

/** Resolves the record's `additionalHeadersRef`. `secretAt` takes `namespace/name`. */
export function headersOf(
  { namespace, spec }: Pick<ManifestRecord, "namespace" | "spec">,
  secretAt: (key: string) => SecretReading,
): Headers {
  const name = spec.healthCheck?.additionalHeadersRef?.name;
  if (name === undefined) return {};
  const key = `${namespace}/${name}`;
  const reading = secretAt(key);
  if ("problem" in reading) return { headersProblem: bounded(`The Secret ${key} ${reading.problem}`) };
  const checked = checkHeaders(reading.values);
  if (checked.ok) return { headers: checked.headers };
  return { headersProblem: bounded(`The Secret ${key} is wrong: ${checked.errors.map(formatFieldError).join("; ")}`) };
}

const bounded = (text: string) => text.slice(0, MAX_PROBLEM_CHARACTERS);

/** The values of a Secret as text. A value that is not UTF-8 is refused later, with its header. */
export function secretValues({
  data = {},
  stringData = {},
}: z.output<typeof secretManifest>): Readonly<Record<string, string>> {
  const decoded = Object.entries(data).map(([name, text]) => [name, Buffer.from(text, "base64").toString("utf8")]);
  return { ...Object.fromEntries(decoded), ...stringData };
}
