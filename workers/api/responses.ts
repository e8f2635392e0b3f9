import type { Problem } from "../../shared/model/problem.ts";
import { type ProblemCode, problemOf } from "../problems.ts";
import type { Result } from "../rpc.ts";

/** An error that becomes a problem document as the response. */
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

/** A problem document as a response (RFC 9457). */
export function problemResponse(problem: Problem, headers: Record<string, string> = {}): Response {
  const type = { "content-type": "application/problem+json" };
  return new Response(JSON.stringify(problem), { status: problem.status, headers: { ...type, ...headers } });
}

/** The response for a result of a cluster object: its problem, or the return value of `onSuccess`. */
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

/** Adds the common headers. Without its own cache-control, a response is private to the client. */
export function withHeaders(answer: Response): Response {
  // A WebSocket upgrade is not shown in a page.
  if (answer.webSocket) return answer;
  const response = new Response(answer.body, answer);
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "private, no-store");
  return response;
}
