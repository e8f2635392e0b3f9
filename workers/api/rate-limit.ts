import { createMiddleware } from "hono/factory";
import ipaddr from "ipaddr.js";
import type { Env } from "../env.ts";
import { problemOf } from "../problems.ts";
import { errorMessage } from "../retry.ts";
import { problemResponse } from "./responses.ts";
import type { Access, Api, ApiContext } from "./route.ts";

/** At most so many requests of one client in each window. The platform takes windows of 10 s and 60 s, and no others. */
interface RateLimit {
  requests: number;
  windowSeconds: 10 | 60;
  of: string;
}

/**
 * How often one address may call (the first half of an IPv6 one: that is what one subscriber has). The Rate Limiting bindings of
 * these names count roughly, and in each of the platform's locations separately. No limit needs an object, since objects are what
 * they protect. The numbers are in wrangler.toml once more, since a binding does not tell its own.
 *
 * An agent's limit counts cluster name and address together, so that no other client can use it up. It is twice the use of an
 * agent and of a second one that takes over. Each makes a snapshot, a pull and a read of the records each second.
 */
export const RATE_LIMITS = {
  RATE_ADDRESS: { requests: 300, windowSeconds: 10, of: "all requests of one address" },
  RATE_ADMIN: { requests: 30, windowSeconds: 10, of: "admin routes" },
  RATE_READS: { requests: 100, windowSeconds: 10, of: "read routes" },
  RATE_AGENT: { requests: 120, windowSeconds: 10, of: "an agent's routes, for one cluster" },
  RATE_WRONG_TOKENS: { requests: 10, windowSeconds: 60, of: "wrong tokens" },
} as const satisfies Record<string, RateLimit>;
export type RateLimitName = keyof typeof RATE_LIMITS;

const BY_ACCESS: Record<Access, RateLimitName | undefined> = {
  open: undefined,
  admin: "RATE_ADMIN",
  reader: "RATE_READS",
  public: "RATE_READS",
  signed: "RATE_AGENT",
};

/** The first limit that a request goes over, counting it; undefined while it is within all. */
async function overLimit(
  env: Env,
  access: Access,
  client: string,
  cluster: string | undefined,
): Promise<RateLimitName | undefined> {
  const own = BY_ACCESS[access];
  const [isOver, isOverOwn] = await Promise.all([
    isOverOne(env, "RATE_ADDRESS", client),
    own !== undefined && isOverOne(env, own, own === "RATE_AGENT" ? `${client} ${cluster}` : client),
  ]);
  return isOverOwn ? own : isOver ? "RATE_ADDRESS" : undefined;
}

/**
 * Counts one under this limit. Without the binding, or if it fails, no call is over the limit: a limit must not stop a failover.
 */
async function isOverOne(env: Env, name: RateLimitName, key: string): Promise<boolean> {
  const binding = env[name] as { limit(options: { key: string }): Promise<{ success: boolean }> } | undefined;
  if (binding === undefined) return false;
  try {
    return !(await binding.limit({ key })).success;
  } catch (error) {
    console.error(`${name} cannot be counted: ${errorMessage(error)}`);
    return false;
  }
}

/** The limits that this Worker has no binding for. */
export function unboundLimits(env: Env): RateLimitName[] {
  return (Object.keys(RATE_LIMITS) as RateLimitName[]).filter((name) => env[name] === undefined);
}

/**
 * Whom to count a request for: undefined where it comes from no public address. On the platform every request has one, which it sets
 * itself; a local stack has none.
 */
export function clientOf(address: string | undefined): string | undefined {
  if (address === undefined || !ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return undefined;
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":");
}

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
