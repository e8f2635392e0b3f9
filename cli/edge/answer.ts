import type { z } from "zod";
import { fieldErrors, formatFieldError } from "../../shared/model/field-error.ts";
import { problem } from "../../shared/model/problem.ts";
import { CliError, EXIT } from "../exit-code.ts";
import { isThisMachine } from "./access.ts";
import { tolerant } from "./tolerant.ts";

const GIVE_TOKEN = "Put the token into VEDETTE_TOKEN, or into a file and name that with --token-file.";
const GIVE_LOCAL = " That of the local stack is the adminToken in .vedette/demo/secrets.json.";
const GIVE_URL = "Give the edge's URL with --edge or VEDETTE_EDGE, and use a vedette of its version.";
const REFUSED_BY_USER: readonly number[] = [400, 413, 422];

/** Parses the body of a response by the schema. Throws a CliError with the problem if the edge refused. */
export async function read<Schema extends z.ZodType>(response: Response, schema: Schema): Promise<z.output<Schema>> {
  const body = cleaned(await response.text());
  if (!response.ok) throw refusal(response, body);
  const result = tolerant(schema).safeParse(body);
  if (result.success) return result.data;
  const [fault] = fieldErrors(result.error, body);
  throw notUnderstood(response, fault === undefined ? "" : ` (${formatFieldError(fault)})`);
}

/** Returns the body of a response as text. Throws a CliError with the problem if the edge refused. */
export async function readText(response: Response): Promise<string> {
  const text = await response.text();
  if (!response.ok) throw refusal(response, cleaned(text));
  return text;
}

/** Throws a CliError if the request was refused. Ignores the body otherwise. */
export async function expectDone(response: Response): Promise<void> {
  const body = cleaned(await response.text());
  if (!response.ok) throw refusal(response, body);
}

/**
 * Remote text reaches terminals. Remove control characters, which move the cursor or set colours, and characters that
 * change the writing direction.
 */
function cleaned(text: string): unknown {
  try {
    return JSON.parse(text, (_, value) => (typeof value === "string" ? clean(value) : value));
  } catch {
    return undefined;
  }
}

/** Returns the text without characters that control a terminal. */
export function clean(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}

function refusal(response: Response, body: unknown): CliError {
  const { status } = response;
  if (status >= 300 && status < 400) {
    const location = clean(response.headers.get("location") ?? "elsewhere");
    return new CliError(EXIT.Unreachable, `The edge leads on to ${location}.`, "Give that URL with --edge.");
  }
  const told = problem.safeParse(body);
  if (!told.success) return status >= 500 ? failed(`status ${status}`) : notUnderstood(response, "");
  const { title, detail, errors = [], type } = told.data;
  const text = [`${title}.`, ...(detail === undefined ? [] : [detail])].join(" ");
  const code = type.split("/").at(-1);
  if (status === 401) return new CliError(EXIT.Refused, text, GIVE_TOKEN + (isLocal(response) ? GIVE_LOCAL : ""));
  if (status === 403) return new CliError(EXIT.Refused, text, "Set ADMIN_TOKEN at the edge: docs/edge-settings.md.");
  if (code === "NotFound" || code === "MethodNotAllowed") return notUnderstood(response, "");
  if (status === 404)
    return new CliError(EXIT.NotFound, text, "See which there are: vedette records, vedette cluster list.");
  if (status === 429) return new CliError(EXIT.Unreachable, text, "Wait that long, then run it again.");
  if (status === 409) return new CliError(EXIT.Trouble, text, "See what there is: vedette cluster list.");
  if (!REFUSED_BY_USER.includes(status)) return failed(text);
  const faults = errors.map((fault) => `\n  ${formatFieldError(fault)}`).join("");
  return new CliError(EXIT.Usage, text + faults, "Mend that and run it again.");
}

/** A response made by a test has no URL. */
const isLocal = ({ url }: Response) => isThisMachine(URL.parse(url)?.hostname ?? "");

const failed = (what: string) =>
  new CliError(EXIT.Unreachable, `The edge has failed: ${what}`, "Try again; if it stays so, read the Worker's log.");

const notUnderstood = ({ url, status }: Response, why: string) =>
  new CliError(
    EXIT.Unreachable,
    `What answers at ${url} is no edge of a known version: status ${status}${why}.`,
    GIVE_URL,
  );
