import type { z } from "zod";
import type { FieldError } from "./problem.ts";

type Issue = z.core.$ZodIssue;

/** Fields whose values must not be shown, wherever they stand. */
const SECRET_FIELD = /(^|\.)(headers|data|stringData|secrets?|token|webhookUrl)(\.|\[|$)/;
const MAX_VALUE_CHARACTERS = 80;

/** Every broken rule of a failed parse of `input`, in the order of the fields. `root` is put before each field. */
export function fieldErrors(error: z.ZodError, input: unknown, root = ""): FieldError[] {
  return error.issues.flatMap((issue) => ofIssue(issue, input, root));
}

/** One line for people: `spec.healthCheck.interval: "0s" must be from 1s to 1h`. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${error.value === undefined ? "" : `${error.value} `}${error.rule}`;
}

function ofIssue(issue: Issue, input: unknown, root: string): FieldError[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ field: fieldName([...issue.path, key], root), rule: "is not a known field" }));
  }
  const field = fieldName(issue.path, root);
  const rule = ruleOf(issue, valueAt(input, issue.path));
  const value = "input" in issue && issue.input !== undefined ? issue.input : valueAt(input, issue.path);
  if (value === undefined || SECRET_FIELD.test(field)) return [{ field, rule }];
  return [{ field, value: shown(value), rule }];
}

function ruleOf(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      if (value === undefined) return "is required";
      return isOwnMessage(issue) ? issue.message : `must be ${article(issue.expected)}`;
    case "invalid_value":
      return value === undefined
        ? "is required"
        : `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `must be at least ${issue.minimum}${unitOf(issue.origin, issue.minimum)}`;
    case "too_big":
      return `must be at most ${issue.maximum}${unitOf(issue.origin, issue.maximum)}`;
    case "invalid_union":
      return value === undefined ? "is required" : issue.message;
    default:
      return issue.message;
  }
}

/** Whether the schema has words of its own for the fault; those that zod gives otherwise begin like this. */
const isOwnMessage = (issue: Issue) => !issue.message.startsWith("Invalid input");

function article(type: string): string {
  const noun = type === "int" ? "whole number" : type;
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

function unitOf(origin: string, count: number | bigint): string {
  const isOne = Number(count) === 1;
  if (origin === "string") return isOne ? " character long" : " characters long";
  if (origin === "array") return isOne ? " entry long" : " entries long";
  return "";
}

function fieldName(path: readonly PropertyKey[], root: string): string {
  let name = root;
  for (const part of path) {
    if (typeof part === "number") name += `[${part}]`;
    else name += name === "" ? String(part) : `.${String(part)}`;
  }
  return name || "(whole)";
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

function shown(value: unknown): string {
  const text = jsonOf(value);
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
}

/** What is nested deeper than the stack allows can be parsed, but not be written again. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "(nested too deep)";
  }
}
