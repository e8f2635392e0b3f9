import type { Problem } from "../../shared/model/problem.ts";
import { type ProblemCode, problemOf } from "../problems.ts";
import type { Result } from "../rpc.ts";

/** An error whose problem document is the answer. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.title);
    this.problem = problem;
  }
}

/** Ends the request with a problem. */
export function fail(code: ProblemCode, detail?: string, errors?: Problem["errors"]): never {
  throw new ProblemError(problemOf(code, detail, errors));
}

/** A problem document as an answer (RFC 9457). */
export function problemResponse(problem: Problem, headers: Record<string, string> = {}): Response {
  const type = { "content-type": "application/problem+json" };
  return new Response(JSON.stringify(problem), { status: problem.status, headers: { ...type, ...headers } });
}

/** What a cluster object answered: its problem, or what `onSuccess` makes of the rest. */
export function resultResponse<Value>(
  result: Result<Value>,
  onSuccess: (value: { ok: true } & Value) => Response,
): Response {
  if (result.ok) return onSuccess(result);
  return problemResponse(result.problem, result.etag === undefined ? {} : { etag: result.etag });
}

const HEADERS = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
};

/** The answer with the headers that all of the API have. What says nothing of caches is for the one who asked. */
export function withHeaders(answer: Response): Response {
  // The answer that opens a WebSocket goes to no page.
  if (answer.webSocket) return answer;
  const response = new Response(answer.body, answer);
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "private, no-store");
  return response;
}
