import { createMiddleware } from "hono/factory";
import ipaddr from "ipaddr.js";
import type { Env } from "../env.ts";
import { problemOf } from "../problems.ts";
import { errorMessage } from "../retry.ts";
import { problemResponse } from "./responses.ts";
import type { Access, Api, ApiContext } from "./route.ts";

/** Limit of requests from one client in each window. The platform accepts only windows of 10 s and 60 s. */
interface RateLimit {
  requests: number;
  windowSeconds: 10 | 60;
  of: string;
}

/**
 * Limits for one address. An IPv6 client is its /64, since one subscriber has that many addresses. The Rate Limiting bindings of
 * these names count roughly, and separately in each location of the platform. No limit uses an object, since the limits protect
 * the objects. wrangler.toml repeats the numbers, since a binding does not expose its own.
 *
 * An agent's limit counts cluster name and address together, so that no other client can use it up. It is twice the use of an
 * agent and a second one that takes over. Each sends a snapshot, a pull and a read of the records each second.
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

/** Counts a request. Returns the limit that it exceeds, or undefined. */
async function exceededLimit(
  env: Env,
  access: Access,
  client: string,
  cluster: string | undefined,
): Promise<RateLimitName | undefined> {
  const own = BY_ACCESS[access];
  const [exceedsAddress, exceedsOwn] = await Promise.all([
    exceeds(env, "RATE_ADDRESS", client),
    own !== undefined && exceeds(env, own, own === "RATE_AGENT" ? `${client} ${cluster}` : client),
  ]);
  return exceedsOwn ? own : exceedsAddress ? "RATE_ADDRESS" : undefined;
}

/**
 * Counts one request under this limit. If the binding is missing or fails, the request passes: a limit must not stop a
 * failover.
 */
async function exceeds(env: Env, name: RateLimitName, key: string): Promise<boolean> {
  const binding = env[name] as { limit(options: { key: string }): Promise<{ success: boolean }> } | undefined;
  if (binding === undefined) return false;
  try {
    return !(await binding.limit({ key })).success;
  } catch (error) {
    console.error(`${name} cannot be counted: ${errorMessage(error)}`);
    return false;
  }
}

/** Limits without a binding in this Worker. */
export function unboundLimits(env: Env): RateLimitName[] {
  return (Object.keys(RATE_LIMITS) as RateLimitName[]).filter((name) => env[name] === undefined);
}

/**
 * The client that a request is counted for: its IPv4 address or IPv6 /64. Undefined without a public address, as in a
 * local stack. The platform itself sets the address of every request.
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

/** Limit of remembered clients in each isolate of the Worker. */
const MAX_BLOCKED_CLIENTS = 1_000;

/**
 * Clients that sent too many wrong tokens, with the end of the block (Unix ms). They are refused even with the right
 * token, so that further guesses reveal nothing.
 */
const blockedClients = new Map<string, number>();

/** Refuses a client that exceeds a limit, before its token is checked and before any object is called. */
export function limitRate(access: Access) {
  return createMiddleware<Api>(async (context, next) => {
    const client = clientOf(context.req.header("cf-connecting-ip"));
    if (client === undefined) return await next();
    const exceeded = isBlocked(client, access, Date.now())
      ? "RATE_WRONG_TOKENS"
      : await exceededLimit(context.env, access, client, context.req.param("cluster"));
    return exceeded === undefined ? await next() : refusal(exceeded);
  });
}

/** Counts a wrong token. Returns the refusal once the client has sent too many. */
export async function countWrongToken(context: ApiContext): Promise<Response | undefined> {
  const client = clientOf(context.req.header("cf-connecting-ip"));
  if (client === undefined || !(await exceeds(context.env, "RATE_WRONG_TOKENS", client))) return undefined;
  const [oldest] = blockedClients.keys();
  if (blockedClients.size >= MAX_BLOCKED_CLIENTS && oldest !== undefined) blockedClients.delete(oldest);
  blockedClients.set(client, Date.now() + RATE_LIMITS.RATE_WRONG_TOKENS.windowSeconds * 1000);
  return refusal("RATE_WRONG_TOKENS");
}

/** Agents send no token. So a client that guesses tokens does not block an agent at the same address. */
function isBlocked(client: string, access: Access, nowMs: number): boolean {
  const until = blockedClients.get(client);
  if (until === undefined || access === "signed") return false;
  if (until > nowMs) return true;
  blockedClients.delete(client);
  return false;
}

function refusal(name: RateLimitName): Response {
  const { requests, windowSeconds, of } = RATE_LIMITS[name];
  const detail = `${name}: at most ${requests} in ${windowSeconds} s from one address (${of}). Try again in ${windowSeconds} s.`;
  return problemResponse(problemOf("TooManyRequests", detail), { "retry-after": `${windowSeconds}` });
}
