import { z } from "zod";
import { snapshotRecord } from "../../shared/model/messages/snapshot.ts";
import { problem } from "../../shared/model/problem.ts";
import { PROBLEMS, type ProblemCode } from "../problems.ts";
import { ACCESS_PROBLEMS } from "./auth.ts";
import type { Route } from "./route.ts";
import { SESSION_COOKIE } from "./session-cookie.ts";

type Json = Record<string, unknown>;

/** Problems that every route can return. */
const COMMON: readonly ProblemCode[] = ["TooManyRequests", "InternalError", "SettingsWrong"];
const SECURITY = {
  admin: { type: "http", scheme: "bearer", description: "ADMIN_TOKEN of the Worker." },
  view: { type: "http", scheme: "bearer", description: "VIEW_TOKEN of the Worker." },
  session: { type: "apiKey", in: "cookie", name: SESSION_COOKIE, description: "Set by `POST /v1/session`; read-only." },
};
const SIGNED_HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"];

/** Makes the OpenAPI 3.1 document of these routes from the schemas that validate their requests. */
export function openApiOf(routes: readonly Route[]): Json {
  const byPath = Map.groupBy(routes, ({ path }) => openApiPath(path));
  return {
    openapi: "3.1.0",
    info: {
      title: "Vedette edge",
      version: "1",
      description: "Errors are RFC 9457 problem documents. `signed` requests carry a Standard Webhooks signature.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths: Object.fromEntries([...byPath].map(([path, ofPath]) => [path, Object.fromEntries(ofPath.map(operation))])),
    components: {
      schemas: { Problem: schemaOf(problem), SnapshotRecord: schemaOf(snapshotRecord) },
      securitySchemes: SECURITY,
    },
  };
}

function operation(route: Route): [method: string, operation: Json] {
  const { summary, body } = route;
  const content = body && { [body.contentType]: { schema: schemaOf(body.schema) } };
  const description = body?.description === undefined ? {} : { description: body.description };
  const parameters = [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)];
  return [
    route.method.toLowerCase(),
    {
      summary,
      ...(parameters.length > 0 && { parameters }),
      ...(content && { requestBody: { required: true, ...description, content } }),
      responses: { ...success(route), ...problemResponses(route) },
      security: securityOf(route),
    },
  ];
}

function securityOf({ access, method }: Route): Json[] {
  if (access === "open" || access === "signed") return [];
  if (access === "admin") return method === "GET" ? [{ admin: [] }, { session: [] }] : [{ admin: [] }];
  return [{ view: [] }, { admin: [] }, { session: [] }, {}];
}

function success({ answer }: Route): Json {
  const content = answer.schema && { content: { "application/json": { schema: schemaOf(answer.schema) } } };
  return { [answer.status]: { description: answer.description, ...content } };
}

function problemResponses({ access, problems }: Route): Json {
  const codes = [...ACCESS_PROBLEMS[access], ...problems, ...COMMON];
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code][0]);
  const content = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [status, { description: ofStatus.map(described).join("; "), content }]),
  );
}

const described = (code: ProblemCode): string => `${code}: ${PROBLEMS[code][1]}`;

/** Converts Hono's `:id{.+}` to OpenAPI's `{id}`. */
const openApiPath = (path: string): string => path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}");

const parameter = (name: string, where: string, description?: string): Json => ({
  name,
  in: where,
  required: where === "path",
  schema: { type: "string" },
  ...(description !== undefined && { description }),
});

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => parameter(name, "path"));
}

function queryParameters({ query = {} }: Route): Json[] {
  return Object.entries(query).map(([name, description]) => parameter(name, "query", description));
}

function headerParameters({ access, requestHeaders = {} }: Route): Json[] {
  const signed = access === "signed" ? SIGNED_HEADERS : [];
  return [
    ...signed.map((name) => ({ ...parameter(name, "header"), required: true })),
    ...Object.entries(requestHeaders).map(([name, description]) => parameter(name, "header", description)),
  ];
}

/** The JSON Schema of the input, before any transform. */
function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ofNoKubernetes,
  });
  return rest;
}

/** Removes the keywords that only a Kubernetes API server reads. */
function ofNoKubernetes({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  for (const key of Object.keys(jsonSchema)) if (key.startsWith("x-kubernetes-")) delete jsonSchema[key];
}
