import { createMiddleware } from "hono/factory";
import { sameSecret } from "../../shared/constant-time.ts";
import type { ProblemCode } from "../problems.ts";
import { problemOf } from "../problems.ts";
import type { Settings } from "../settings.ts";
import { problemResponse } from "./answers.ts";
import type { Access, Api } from "./route.ts";

/** Problems that a kind of access brings to every route that has it. */
export const ACCESS_PROBLEMS: Record<Access, readonly ProblemCode[]> = {
  open: [],
  admin: ["TokenMissing", "TokenWrong", "AdminClosed"],
  reader: ["TokenMissing", "TokenWrong", "AdminClosed"],
  signed: [
    "SignatureMissing",
    "SignatureMalformed",
    "SignatureInvalid",
    "TimestampMalformed",
    "TimestampTooOld",
    "TimestampTooNew",
  ],
};

/**
 * Lets a request through that has the access its route asks for. Signatures are checked by the cluster's object, which
 * has the secrets.
 */
export function allow(access: Access) {
  return createMiddleware<Api>(async (context, next) => {
    const settings = context.get("settings");
    const isOpen = access === "open" || access === "signed" || (access === "reader" && settings.PUBLIC_READS);
    const fault = isOpen ? undefined : tokenFault(settings, context.req.header("authorization"));
    if (fault === undefined) return await next();
    return problemResponse(problemOf(fault), fault === "AdminClosed" ? {} : { "www-authenticate": "Bearer" });
  });
}

function tokenFault({ ADMIN_TOKEN }: Settings, authorization: string | undefined): ProblemCode | undefined {
  if (ADMIN_TOKEN === undefined) return "AdminClosed";
  const token = /^Bearer +(.+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) return "TokenMissing";
  return sameSecret(token, ADMIN_TOKEN) ? undefined : "TokenWrong";
}
