/**
 * A rule that the API server itself judges, in CEL: the twin of a refinement, and declared beside it. Never stricter than
 * that one; it may be laxer where CEL lacks the words, since the agent judges again. `message` is the same rule for people.
 */
export interface CelRule {
  rule: string;
  message: string;
  /** The field that the error names, below the schema with the rule; by default that schema itself. */
  fieldPath?: `.${string}`;
}

/** Declares rules in the metadata of a schema, under the name that Kubernetes reads them by. */
export function cel(...rules: readonly CelRule[]) {
  return { "x-kubernetes-validations": rules };
}

/** A string or a regular expression as a CEL literal: raw, so that a backslash stays one. */
export function celText(text: string): string {
  if (text.includes("'")) throw new Error(`a CEL literal between ' cannot hold one: ${text}`);
  return `r'${text}'`;
}
