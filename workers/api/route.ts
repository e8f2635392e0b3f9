import type { Context } from "hono";
import type { z } from "zod";
import type { Overview } from "../../shared/model/overview.ts";
import type { Env } from "../env.ts";
import type { ProblemCode } from "../problems.ts";
import type { Settings } from "../settings.ts";

/** The role of a request; set on routes with the access `admin`, `reader` or `public`. */
export type Role = Overview["role"];

export type Api = { Bindings: Env; Variables: { settings: Settings; role: Role } };
export type ApiContext = Context<Api>;

/**
 * Who may call:
 * - `open`: anyone
 * - `admin`: the admin token
 * - `reader`: the admin or view token, or anyone with PUBLIC_READS
 * - `public`: a reader, or anyone as the `public` with PUBLIC_VIEW
 * - `signed`: the agent that signs
 */
export type Access = "open" | "admin" | "reader" | "public" | "signed";

/** One operation: its handler and its part of the OpenAPI document. */
export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** In Hono's syntax. The braces after a parameter contain its pattern. */
  path: string;
  access: Access;
  summary: string;
  query?: Record<string, string>;
  requestHeaders?: Record<string, string>;
  body?: { contentType: string; schema: z.ZodType; description?: string };
  answer: { status: number; description: string; schema?: z.ZodType };
  /** In addition to the problems of its access. */
  problems: ProblemCode[];
  handle: (context: ApiContext) => Promise<Response> | Response;
}
