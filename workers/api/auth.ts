import { createMiddleware } from "hono/factory";
import { type ProblemCode, problemOf } from "../problems.ts";
import { countWrongToken } from "./rate-limit.ts";
import { isForeign } from "./request.ts";
import { problemResponse } from "./responses.ts";
import type { Access, Api, ApiContext, Role } from "./route.ts";
import { roleOfCookie, roleOfToken, type SessionRole } from "./session-cookie.ts";

/** Problems that a kind of access brings to every route that has it. */
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

/** What to do where the Worker has no token. */
export const HOW_TO_OPEN =
  "Set one: wrangler secret put VIEW_TOKEN for reading, ADMIN_TOKEN for everything. /healthz says where one that is set is wrong.";
const HOW_TO_READ = "Send VIEW_TOKEN or ADMIN_TOKEN as a bearer token, or log in at /login.";
const HOW_TO_CHANGE = "Send ADMIN_TOKEN as a bearer token; a session only reads.";

/**
 * Lets a request through that has the access its route asks for, and sets the role it is answered as. Signatures are checked
 * by the cluster's object, which has the secrets.
 */
export function allow(access: Access) {
  return createMiddleware<Api>(async (context, next) => {
    if (access === "open" || access === "signed") return await next();
    const answer = access === "admin" ? adminRole(context) : readerRole(context, access);
    if (typeof answer !== "string") {
      const tooMany = answer.fault === "TokenWrong" ? await countWrongToken(context) : undefined;
      return tooMany ?? refusal(answer.fault, access);
    }
    context.set("role", answer);
    await next();
    if (answer === "public" && context.res.status === 200) letCache(context);
  });
}

/** What the one who asks has shown: a token that fits, or a session; `wrong` is a bearer token that is nobody's. */
type Shown = { by: "token" | "session"; role: SessionRole } | "wrong" | undefined;

function shownBy(context: ApiContext): Shown {
  const settings = context.get("settings");
  const token = /^Bearer +(.+)$/i.exec(context.req.header("authorization") ?? "")?.[1];
  if (token !== undefined) {
    const role = roleOfToken(settings, token);
    return role === undefined ? "wrong" : { by: "token", role };
  }
  // A page of a sibling host gets the cookie too (SameSite knows sites, not origins), and could open a stream with it.
  const role = isForeign(context) ? undefined : roleOfCookie(settings, context.req.header("cookie"), Date.now());
  return role && { by: "session", role };
}

/** A session never changes anything, so that no other site can make a browser do it. */
function adminRole(context: ApiContext): "admin" | { fault: ProblemCode } {
  if (context.get("settings").ADMIN_TOKEN === undefined) return { fault: "AdminClosed" };
  const shown = shownBy(context);
  if (shown === "wrong") return { fault: "TokenWrong" };
  if (shown === undefined || (shown.by === "session" && context.req.method !== "GET")) return { fault: "TokenMissing" };
  return shown.role === "admin" ? "admin" : { fault: "AdminTokenNeeded" };
}

function readerRole(context: ApiContext, access: "reader" | "public"): Role | { fault: ProblemCode } {
  const { ADMIN_TOKEN, VIEW_TOKEN, PUBLIC_READS, PUBLIC_VIEW } = context.get("settings");
  const shown = shownBy(context);
  if (typeof shown === "object") return shown.role;
  if (PUBLIC_READS) return "viewer";
  if (shown === "wrong") return { fault: "TokenWrong" };
  if (access === "public" && PUBLIC_VIEW !== "off") return "public";
  return { fault: ADMIN_TOKEN === undefined && VIEW_TOKEN === undefined ? "AdminClosed" : "TokenMissing" };
}

function refusal(fault: ProblemCode, access: Access): Response {
  const detail = fault === "AdminClosed" ? HOW_TO_OPEN : access === "admin" ? HOW_TO_CHANGE : HOW_TO_READ;
  const isAsked = fault === "TokenMissing" || fault === "TokenWrong";
  return problemResponse(problemOf(fault, detail), isAsked ? { "www-authenticate": "Bearer" } : {});
}

/** What anyone may see may wait a second in a cache; who shows something is never answered from there. */
function letCache(context: ApiContext): void {
  context.header("cache-control", "public, max-age=1");
  context.header("vary", "cookie, authorization");
}
