import { z } from "zod";
import { problemOf } from "../problems.ts";
import { HOW_TO_OPEN } from "./auth.ts";
import { countWrongToken } from "./rate-limit.ts";
import { isCrossOrigin, readJson } from "./request.ts";
import { fail, problemResponse } from "./responses.ts";
import type { ApiContext, Route } from "./route.ts";
import { ENDED_COOKIE, roleOfToken, SESSION_SECONDS, sessionCookie } from "./session-cookie.ts";

const login = z.strictObject({ token: z.string().max(1024).describe("VIEW_TOKEN or ADMIN_TOKEN of the Worker.") });
const PATH = "/v1/session";

export const sessionRoutes: Route[] = [
  {
    method: "POST",
    path: PATH,
    access: "open",
    summary: "Log in: set a read-only session cookie for a token",
    body: { contentType: "application/json", schema: login },
    answer: { status: 204, description: `The cookie is set for ${SESSION_SECONDS / 3600} hours.` },
    problems: ["MalformedBody", "FieldInvalid", "BodyTooLarge", "TokenWrong", "OriginForeign", "AdminClosed"],
    handle: begin,
  },
  {
    method: "DELETE",
    path: PATH,
    access: "open",
    summary: "Log out of this browser",
    answer: { status: 204, description: "The cookie is cleared." },
    problems: ["OriginForeign"],
    handle: end,
  },
];

async function begin(context: ApiContext): Promise<Response> {
  if (isCrossOrigin(context)) fail("OriginForeign", "Log in on the page of the edge itself.");
  const settings = context.get("settings");
  if (settings.ADMIN_TOKEN === undefined && settings.VIEW_TOKEN === undefined) fail("AdminClosed", HOW_TO_OPEN);
  const { token } = await readJson(context, login);
  const role = roleOfToken(settings, token);
  if (role === undefined) {
    const wrong = () => problemResponse(problemOf("TokenWrong", "Try again with VIEW_TOKEN or ADMIN_TOKEN."));
    return (await countWrongToken(context)) ?? wrong();
  }
  return context.body(null, 204, { "set-cookie": sessionCookie(settings, role, Date.now()) });
}

function end(context: ApiContext): Response {
  if (isCrossOrigin(context)) fail("OriginForeign", "Log out on the page of the edge itself.");
  return context.body(null, 204, { "set-cookie": ENDED_COOKIE });
}
