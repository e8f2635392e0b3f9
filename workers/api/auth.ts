import { createMiddleware } from "hono/factory";
import { type ProblemCode, problemOf } from "../problems.ts";
import { countWrongToken } from "./rate-limit.ts";
import { isCrossOrigin } from "./request.ts";
import { problemResponse } from "./responses.ts";
import type { Access, Api, ApiContext, Role } from "./route.ts";
import { roleOfCookie, roleOfToken, type SessionRole } from "./session-cookie.ts";

/** Problems that every route with this access can return. */
export const ACCESS_PROBLEMS: Record<Access, readonly ProblemCode[]> = {
  open: [],
  admin: ["TokenMissing", "TokenWrong", "AdminTokenNeeded", "AdminClosed"],
  reader: ["TokenMissing", "TokenWrong", "AdminClosed"],
  public: ["TokenMissing", "TokenWrong", "AdminClosed"],
  signed: [
    "SignatureMissing",
    "SignatureMalformed",
    "SignatureInvalid",
    "TimestampMalformed",
    "TimestampTooOld",
    "TimestampTooNew",
  ],
};

/** Advice if the Worker has no token. */
export const HOW_TO_OPEN =
  "Set one: wrangler secret put VIEW_TOKEN for reading, ADMIN_TOKEN for everything. /healthz names a token that is set but invalid.";
const HOW_TO_READ = "Send VIEW_TOKEN or ADMIN_TOKEN as a bearer token, or log in at /login.";
const HOW_TO_CHANGE = "Send ADMIN_TOKEN as a bearer token; a session only reads.";

/**
 * Passes a request that has the access of its route, and sets its role. The cluster object checks signatures, since it
 * has the secrets.
 */
export function allow(access: Access) {
  return createMiddleware<Api>(async (context, next) => {
    if (access === "open" || access === "signed") return await next();
    const result = access === "admin" ? adminRole(context) : readerRole(context, access);
    if (typeof result !== "string") {
      const tooMany = result.fault === "TokenWrong" ? await countWrongToken(context) : undefined;
      return tooMany ?? refusal(result.fault, access);
    }
    context.set("role", result);
    await next();
    if (result === "public" && context.res.status === 200) allowCaching(context);
  });
}

/** The credential of a request: a valid token or a session. `wrong` is an unknown bearer token. */
type Credential = { by: "token" | "session"; role: SessionRole } | "wrong" | undefined;

function credentialOf(context: ApiContext): Credential {
  const settings = context.get("settings");
  const token = /^Bearer +(.+)$/i.exec(context.req.header("authorization") ?? "")?.[1];
  if (token !== undefined) {
    const role = roleOfToken(settings, token);
    return role === undefined ? "wrong" : { by: "token", role };
  }
  // SameSite compares sites, not origins. A page of a sibling host also sends the cookie and could open a stream.
  const role = isCrossOrigin(context) ? undefined : roleOfCookie(settings, context.req.header("cookie"), Date.now());
  return role && { by: "session", role };
}

/** A session can only read. So no other site can make a browser change anything. */
function adminRole(context: ApiContext): "admin" | { fault: ProblemCode } {
  if (context.get("settings").ADMIN_TOKEN === undefined) return { fault: "AdminClosed" };
  const credential = credentialOf(context);
  if (credential === "wrong") return { fault: "TokenWrong" };
  if (credential === undefined || (credential.by === "session" && context.req.method !== "GET"))
    return { fault: "TokenMissing" };
  return credential.role === "admin" ? "admin" : { fault: "AdminTokenNeeded" };
}

function readerRole(context: ApiContext, access: "reader" | "public"): Role | { fault: ProblemCode } {
  const { ADMIN_TOKEN, VIEW_TOKEN, PUBLIC_READS, PUBLIC_VIEW } = context.get("settings");
  const credential = credentialOf(context);
  if (typeof credential === "object") return credential.role;
  if (PUBLIC_READS) return "viewer";
  if (credential === "wrong") return { fault: "TokenWrong" };
  if (access === "public" && PUBLIC_VIEW !== "off") return "public";
  return { fault: ADMIN_TOKEN === undefined && VIEW_TOKEN === undefined ? "AdminClosed" : "TokenMissing" };
}

function refusal(fault: ProblemCode, access: Access): Response {
  const detail = fault === "AdminClosed" ? HOW_TO_OPEN : access === "admin" ? HOW_TO_CHANGE : HOW_TO_READ;
  const needsToken = fault === "TokenMissing" || fault === "TokenWrong";
  return problemResponse(problemOf(fault, detail), needsToken ? { "www-authenticate": "Bearer" } : {});
}

/** Public responses may be cached for a second. Requests with a credential never get a cached response. */
function allowCaching(context: ApiContext): void {
  context.header("cache-control", "public, max-age=1");
  context.header("vary", "cookie, authorization");
}
