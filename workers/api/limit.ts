import { createMiddleware } from "hono/factory";
import { problemOf } from "../problems.ts";
import { problemResponse } from "./answers.ts";
import { clientOf, isOverOne, overLimit, RATE_LIMITS, type RateLimitName } from "./rate-limits.ts";
import type { Access, Api, ApiContext } from "./route.ts";

/** Remembered at most at once, in each of the Worker's isolates. */
const MAX_GUESSERS = 1_000;

/** Who has shown too many wrong tokens, and until when, Unix ms. Else the answer to a guess would still tell a right one. */
const guessers = new Map<string, number>();

/** Refuses a client that asks too often, before its token is looked at and before any object is called. */
export function limitRate(access: Access) {
  return createMiddleware<Api>(async (context, next) => {
    const client = clientOf(context.req.header("cf-connecting-ip"));
    if (client === undefined) return await next();
    const over = isGuesser(client, access, Date.now())
      ? "RATE_WRONG_TOKENS"
      : await overLimit(context.env, access, client, context.req.param("cluster"));
    return over === undefined ? await next() : refusal(over);
  });
}

/** Counts a token that was nobody's; the refusal of one who has shown too many. */
export async function countWrongToken(context: ApiContext): Promise<Response | undefined> {
  const client = clientOf(context.req.header("cf-connecting-ip"));
  if (client === undefined || !(await isOverOne(context.env, "RATE_WRONG_TOKENS", client))) return undefined;
  const [oldest] = guessers.keys();
  if (guessers.size >= MAX_GUESSERS && oldest !== undefined) guessers.delete(oldest);
  guessers.set(client, Date.now() + RATE_LIMITS.RATE_WRONG_TOKENS.windowSeconds * 1000);
  return refusal("RATE_WRONG_TOKENS");
}

/** Agents send no token. So a client that guesses tokens from their address does not block them. */
function isGuesser(client: string, access: Access, nowMs: number): boolean {
  const until = guessers.get(client);
  if (until === undefined || access === "signed") return false;
  if (until > nowMs) return true;
  guessers.delete(client);
  return false;
}

function refusal(name: RateLimitName): Response {
  const { requests, windowSeconds, of } = RATE_LIMITS[name];
  const detail = `${name}: at most ${requests} in ${windowSeconds} s from one address (${of}). Try again in ${windowSeconds} s.`;
  return problemResponse(problemOf("TooManyRequests", detail), { "retry-after": `${windowSeconds}` });
}
