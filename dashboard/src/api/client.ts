import type { Problem } from "../../../shared/model/problem.ts";

/**
 * An error of a call to the API. `problem` is absent if no answer came, or if it came from something else than the API.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: Problem | undefined;

  constructor(status: number, problem: Problem | undefined, message: string) {
    super(message);
    this.status = status;
    this.problem = problem;
  }
}

/** Messages for a call that could not be made, or whose answer could not be read. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const words =
    "What the edge answered is not what this page knows: reload it, since another version may have been deployed.";
  return new ApiError(200, undefined, words);
}

const LIMIT_MS = 15_000;
const NO_ANSWER = "The edge does not answer.";

/**
 * GETs a document of the API. Throws an ApiError. Its status is 0 if no complete answer came. Otherwise it is that of an answer
 * that is no document, such as a proxy's login page.
 */
export async function getJson<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  const response = await ask(path, signal === undefined ? {} : { signal });
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, undefined, NO_ANSWER);
  }
  const answer = parsed(text);
  if (typeof answer === "object" && answer !== null) return answer as Answer;
  throw new ApiError(response.status, undefined, "What answers is not the edge: something between may want a login.");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** POSTs to a route that answers nothing. Throws an ApiError. */
export async function postJson(path: string, body: unknown): Promise<void> {
  await ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

/** Sends a DELETE to the API. Throws an ApiError. */
export async function remove(path: string): Promise<void> {
  await ask(path, { method: "DELETE" });
}

async function ask(path: string, { signal, ...init }: RequestInit): Promise<Response> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const signals = signal == null ? limit : AbortSignal.any([signal, limit]);
  let response: Response;
  try {
    response = await fetch(path, { ...init, signal: signals, credentials: "same-origin" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, undefined, NO_ANSWER);
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  throw new ApiError(
    response.status,
    problem,
    problem?.detail ?? problem?.title ?? `It was answered with HTTP status ${response.status}.`,
  );
}

async function problemOf(response: Response): Promise<Problem | undefined> {
  if (!response.headers.get("content-type")?.startsWith("application/problem+json")) return undefined;
  try {
    return (await response.json()) as Problem;
  } catch {
    return undefined;
  }
}
