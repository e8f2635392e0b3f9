import type { Context } from "hono";
import type { z } from "zod";
import type { Overview } from "../../shared/model/overview.ts";
import type { Env } from "../env.ts";
import type { ProblemCode } from "../problems.ts";
import type { Settings } from "../settings.ts";

/** As what somebody is answered; set on routes that ask for it (`admin`, `reader`, `public`). */
export type Role = Overview["role"];

export type Api = { Bindings: Env; Variables: { settings: Settings; role: Role } };
export type ApiContext = Context<Api>;

/**
 * Who may call: anyone; who has the admin token; that, the view token, or anyone where PUBLIC_READS says so; those, or anyone
 * as the `public` where PUBLIC_VIEW says so; the agent that signs.
 */
export type Access = "open" | "admin" | "reader" | "public" | "signed";

/** One operation: how it is served, and what the OpenAPI document says of it. */
export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** As Hono writes it; what stands between braces after a parameter is its pattern. */
  path: string;
  access: Access;
  summary: string;
  query?: Record<string, string>;
  requestHeaders?: Record<string, string>;
  body?: { contentType: string; schema: z.ZodType; description?: string };
  answer: { status: number; description: string; schema?: z.ZodType };
  /** Beyond those that its access brings. */
  problems: ProblemCode[];
  handle: (context: ApiContext) => Promise<Response> | Response;
}
