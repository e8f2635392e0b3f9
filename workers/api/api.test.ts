import { createExecutionContext, evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { z } from "zod";
import type { SnapshotRecordInput } from "../../shared/model/messages/snapshot.ts";
import { problem } from "../../shared/model/problem.ts";
import { signatureHeaders } from "../../shared/signature.ts";
import { encodeSnapshot } from "../../shared/snapshot.ts";
import { recordOf, until } from "../../test/support/cluster.ts";
import type { Env } from "../env.ts";
import { PROBLEMS, type ProblemCode } from "../problems.ts";
import { createApp, ROUTES, serve } from "./app.ts";

const bindings = env as unknown as Env;
const TOKEN = "test-admin-token-0123456789";
const app = createApp();

afterEach(() => {
  vi.restoreAllMocks();
});

interface Call {
  headers?: Record<string, string>;
  body?: BodyInit;
  settings?: Record<string, string | undefined>;
  token?: string | null;
}

function call(
  method: string,
  target: string,
  { headers, body, settings, token = TOKEN }: Call = {},
): Promise<Response> {
  const request = new Request(`https://edge.test${target}`, {
    method,
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body }),
  });
  return serve(app, request, { ...bindings, ADMIN_TOKEN: TOKEN, ...settings }, createExecutionContext());
}

async function json<Value = Record<string, unknown>>(response: Response | Promise<Response>): Promise<Value> {
  return (await response).json();
}

/** The kind of a problem document, after it was compared with the schema and the table. */
async function kindOf(response: Response | Promise<Response>): Promise<ProblemCode | "no problem"> {
  const answer = await response;
  if (answer.headers.get("content-type") !== "application/problem+json") return "no problem";
  const document = problem.parse(await answer.json());
  const code = document.type.split("/").at(-1) as ProblemCode;
  expect([answer.status, document.status]).toEqual([PROBLEMS[code][0], PROBLEMS[code][0]]);
  return code;
}

async function register(cluster: string, more: object = {}): Promise<string> {
  const body = JSON.stringify({ cluster, hosts: ["*.example.com"], ...more });
  const response = await call("POST", "/v1/clusters", { body });
  expect(response.status).toBe(201);
  return (await json<{ secret: string }>(response)).secret;
}

async function push(
  cluster: string,
  secret: string,
  records: SnapshotRecordInput[],
  more: Record<string, string> = {},
) {
  const body = encodeSnapshot({ clusterUid: `uid-${cluster}`, instance: "one" }, records);
  const headers = { ...signatureHeaders(secret, `push_${crypto.randomUUID()}`, body, Date.now()), ...more };
  return call("PUT", `/v1/clusters/${cluster}/snapshot`, { token: null, headers, body });
}

async function evictIfRunning(cluster: string): Promise<void> {
  try {
    await evictDurableObject(bindings.CLUSTER.getByName(cluster));
  } catch (error) {
    if (!String(error).includes("not currently running")) throw error;
  }
}

describe("the admin routes", () => {
  it.each([
    ["GET", "/v1/clusters"],
    ["POST", "/v1/clusters"],
    ["GET", "/v1/clusters/any"],
    ["DELETE", "/v1/clusters/any"],
    ["POST", "/v1/clusters/any/rotate"],
    ["POST", "/v1/clusters/any/rebind"],
  ])("%s %s want the admin token, and are closed without one, also where reads are public", async (method, path) => {
    const settings = { PUBLIC_READS: "true" };
    const missing = await call(method, path, { token: null, settings });
    expect(missing.headers.get("www-authenticate")).toBe("Bearer");
    expect(await kindOf(missing)).toBe("TokenMissing");
    expect(await kindOf(call(method, path, { token: `${TOKEN}x`, settings }))).toBe("TokenWrong");
    expect(await kindOf(call(method, path, { settings: { ...settings, ADMIN_TOKEN: undefined } }))).toBe("AdminClosed");
  });

  it("register a cluster, show it without its secret, rotate, rebind and remove it", async () => {
    const webhookUrl = "https://agent.example.com/v1/delivery";
    const secret = await register("alpha", { webhookUrl });
    expect(secret).toMatch(/^whsec_/);
    expect(
      await kindOf(call("POST", "/v1/clusters", { body: JSON.stringify({ cluster: "alpha", hosts: ["a.test"] }) })),
    ).toBe("ClusterExists");
    const shown = await (await call("GET", "/v1/clusters/alpha")).text();
    expect(JSON.parse(shown)).toMatchObject({ cluster: "alpha", hosts: ["*.example.com"], webhookUrl, records: 0 });
    expect(shown).not.toContain(secret);
    const listed = await json<{ clusters: { cluster: string }[] }>(call("GET", "/v1/clusters"));
    expect(listed.clusters.map(({ cluster }) => cluster)).toContain("alpha");
    const rotated = await json<{ secret: string }>(call("POST", "/v1/clusters/alpha/rotate"));
    expect(rotated.secret).not.toBe(secret);
    expect((await call("POST", "/v1/clusters/alpha/rebind")).status).toBe(204);
    expect((await call("DELETE", "/v1/clusters/alpha")).status).toBe(204);
    expect(await kindOf(call("GET", "/v1/clusters/alpha"))).toBe("ClusterUnknown");
    expect(await kindOf(call("DELETE", "/v1/clusters/alpha"))).toBe("ClusterUnknown");
    await register("alpha");
  });

  it.each([
    ["no JSON", "{", "MalformedBody", []],
    ["no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), "MalformedBody", []],
    ["no name", JSON.stringify({ hosts: ["a.test"] }), "FieldInvalid", ["cluster"]],
    ["a name that is no label", JSON.stringify({ cluster: "A.b", hosts: ["a.test"] }), "FieldInvalid", ["cluster"]],
    ["no hosts", JSON.stringify({ cluster: "b", hosts: [] }), "FieldInvalid", ["hosts"]],
    ["a wrong host", JSON.stringify({ cluster: "b", hosts: ["a.test", "-x"] }), "FieldInvalid", ["hosts[1]"]],
    ["an unknown field", JSON.stringify({ cluster: "b", hosts: ["a.test"], extra: 1 }), "FieldInvalid", ["extra"]],
    ["too much", JSON.stringify({ cluster: "b", hosts: ["a.test"], extra: "x".repeat(70_000) }), "BodyTooLarge", []],
  ])("refuse a registration with %s", async (_, body, kind, fields) => {
    const response = await call("POST", "/v1/clusters", { body });
    const document = problem.parse(await response.clone().json());
    expect(await kindOf(response)).toBe(kind);
    expect((document.errors ?? []).map(({ field }) => field)).toEqual(fields);
  });

  it.each([
    ["http://agent.example.com/", "must be https"],
    ["ftp://agent.example.com/", "must be https"],
    ["https://203.0.113.7/hook", "must name a host: calls to addresses are refused here"],
    ["https://[2001:db8::1]/hook", "must name a host: calls to addresses are refused here"],
    ["https://user:pass@agent.example.com/", "must not hold a user name or a password"],
  ])("refuse the webhook %s", async (webhookUrl, rule) => {
    const body = JSON.stringify({ cluster: "hooked", hosts: ["a.test"], webhookUrl });
    const response = await call("POST", "/v1/clusters", { body, settings: { ALLOW_PRIVATE_ADDRESSES: "false" } });
    const text = await response.text();
    expect(problem.parse(JSON.parse(text)).errors).toMatchObject([{ field: "webhookUrl", rule }]);
    expect(text).not.toContain(webhookUrl);
  });
});

describe("the snapshot route", () => {
  it("takes a signed snapshot and answers with its tag and what became of each record", async () => {
    const secret = await register("beta");
    const response = await push("beta", secret, [recordOf("one"), recordOf("two")]);
    expect(response.status).toBe(200);
    const receipt = await json<{ etag: string; records: { line: number }[] }>(response);
    expect(response.headers.get("etag")).toBe(receipt.etag);
    expect(receipt.records).toHaveLength(2);
    await evictIfRunning("beta");
    const again = await push("beta", secret, [recordOf("one"), recordOf("two")], { "if-match": receipt.etag });
    expect(again.headers.get("etag")).toBe(receipt.etag);
    const untagged = await push("beta", secret, [recordOf("one")]);
    expect(untagged.headers.get("etag")).toBe(receipt.etag);
    expect(await kindOf(untagged)).toBe("SnapshotTagMissing");
    expect(await kindOf(push("beta", secret, [recordOf("one")], { "if-match": '"1.1"' }))).toBe("SnapshotOvertaken");
  });

  it("answers each fault with its own problem", async () => {
    const secret = await register("gamma");
    const path = "/v1/clusters/gamma/snapshot";
    const put = (body: BodyInit, headers: Record<string, string> = {}) =>
      call("PUT", path, { token: null, headers, body });
    const text = encodeSnapshot({ clusterUid: "u", instance: "i" }, [recordOf("one")]);
    const sign = (body: string, atMs = Date.now()) => signatureHeaders(secret, "push_1", body, atMs);
    expect(await kindOf(put(text))).toBe("SignatureMissing");
    expect(await kindOf(put(`${text} `, sign(text)))).toBe("SignatureInvalid");
    expect(await kindOf(put(text, sign(text, Date.now() - 360_000)))).toBe("TimestampTooOld");
    expect(await kindOf(put(text, { ...sign(text), "webhook-timestamp": "soon" }))).toBe("TimestampMalformed");
    expect(await kindOf(put(new Uint8Array([0xff]), sign(text)))).toBe("MalformedBody");
    const cut = text.slice(0, text.indexOf("\n") + 1);
    expect(await kindOf(put(cut, sign(cut)))).toBe("SnapshotCutOff");
    const large = "x".repeat(4 * 1024 * 1024 + 1);
    expect(await kindOf(put(large, sign("x")))).toBe("BodyTooLarge");
    expect(await kindOf(push("nobody", secret, [recordOf("one")]))).toBe("ClusterUnknown");
    expect(await kindOf(call("PUT", "/v1/clusters/Not.A.Label/snapshot", { body: text }))).toBe("ClusterUnknown");
  });

  it("makes no storage for a name that nobody registered", async () => {
    const { listDurableObjectIds, runInDurableObject } = await import("cloudflare:test");
    await push("ghost", btoa("secret"), [recordOf("one")]);
    const tables = await runInDurableObject(bindings.CLUSTER.getByName("ghost"), (_, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master").toArray(),
    );
    expect(tables).toEqual([]);
    expect((await listDurableObjectIds(bindings.CLUSTER)).length).toBeGreaterThanOrEqual(0);
  });
});

describe("the whole way", () => {
  it("from a snapshot through the real coordinator to the webhook, evicted between the steps, and by asking", async () => {
    const receivers = inject("receivers");
    const secret = await register("delta", { webhookUrl: `${receivers}/hook/delta` });
    const evict = () => evictIfRunning("delta");
    await evict();
    expect((await push("delta", secret, [recordOf("way", { published: [] })])).status).toBe(200);
    await evict();
    const targets = async () => {
      const { received } = await json<{ received: { body: string }[] }>(fetch(`${receivers}/control/delta`));
      const newest = received.map(({ body }) => JSON.parse(body)).findLast(({ kind }) => kind === "Full");
      return newest?.records[0]?.endpoints[0]?.targets;
    };
    await until(async () => (await call("GET", "/v1/records/way.example.com")).status === 200);
    await until(async () => (await targets()) !== undefined);
    expect(await targets()).toEqual(["203.0.113.10"]);
    await evict();
    await until(async () => {
      const view = await json<{ decided: string; acknowledged: string }>(call("GET", "/v1/clusters/delta"));
      return view.decided === view.acknowledged;
    });
    const target = "/v1/clusters/delta/delivery?after=0.0";
    const pulled = await call("GET", target, {
      token: null,
      headers: signatureHeaders(secret, "ask", target, Date.now()),
    });
    expect(await json(pulled)).toMatchObject({ kind: "Full", records: [{ rootHost: "way.example.com" }] });
    const forged = signatureHeaders(secret, "ask", target, Date.now());
    expect(await kindOf(call("GET", `${target}1`, { token: null, headers: forged }))).toBe("SignatureInvalid");
    const view = "/v1/clusters/delta/records";
    const seen = await call("GET", view, { token: null, headers: signatureHeaders(secret, "v", view, Date.now()) });
    expect(await json(seen)).toMatchObject({ cluster: "delta", records: [{ rootHost: "way.example.com" }] });
    expect(await kindOf(call("GET", view, { token: null, headers: forged }))).toBe("SignatureInvalid");
    const bad = "/v1/clusters/delta/delivery?after=x";
    expect(
      await kindOf(call("GET", bad, { token: null, headers: signatureHeaders(secret, "a", bad, Date.now()) })),
    ).toBe("FieldInvalid");
  });
});

describe("the read routes", () => {
  const reads = ["/v1/records", "/v1/records/a.example.com", "/v1/probes/c/n/r/leaf", "/v1/regions", "/v1/events"];

  it.each(reads)("%s wants the admin token unless reads are public", async (path) => {
    expect(await kindOf(call("GET", path, { token: null }))).toBe("TokenMissing");
    const open = await kindOf(
      call("GET", path, { token: null, settings: { ADMIN_TOKEN: undefined, PUBLIC_READS: "true" } }),
    );
    expect(["no problem", "RecordUnknown", "ProbeUnknown"]).toContain(open);
  });

  it("join what several partitions say", async () => {
    const settings = { PARTITIONS: "3" };
    expect(await json(call("GET", "/v1/events", { settings }))).toMatchObject({
      next: expect.stringMatching(/^\d+,\d+,\d+$/),
    });
    expect(await json(call("GET", "/v1/events?after=1,2,3", { settings }))).toHaveProperty("events");
    expect(await kindOf(call("GET", "/v1/events?after=1", { settings }))).toBe("FieldInvalid");
    expect(await json(call("GET", "/v1/records", { settings }))).toHaveProperty("records");
    expect(await json(call("GET", "/v1/regions", { settings }))).toHaveProperty("regions");
  });

  it("find a record where it is since install, though PARTITIONS is another now", async () => {
    const secret = await register("zeta");
    const names = ["r1", "r2", "r3", "r4", "r5", "r6"];
    await push(
      "zeta",
      secret,
      names.map((name) => recordOf(name)),
    );
    for (const name of names) {
      const path = `/v1/records/${name}.example.com`;
      await until(async () => (await call("GET", path)).status === 200);
      expect((await call("GET", path, { settings: { PARTITIONS: "3" } })).status).toBe(200);
    }
    await call("DELETE", "/v1/clusters/zeta");
  });

  it("find a probe by its id, slashes plain or encoded", async () => {
    const secret = await register("epsilon");
    const record = recordOf("probed");
    const healthCheck = { protocol: "TCP" as const, port: 1 };
    await push("epsilon", secret, [{ ...record, spec: { ...record.spec, healthCheck } }]);
    const id = "epsilon/shop/probed/203.0.113.10";
    await until(async () => (await call("GET", `/v1/probes/${id}`)).status === 200);
    expect(await json(call("GET", `/v1/probes/${encodeURIComponent(id)}`))).toMatchObject({ id });
    expect(await kindOf(call("GET", "/v1/probes/epsilon/shop/probed/203.0.113.11"))).toBe("ProbeUnknown");
    await call("DELETE", "/v1/clusters/epsilon");
  });
});

describe("every answer", () => {
  it("is of a route that is known, by a method that it takes", async () => {
    expect(await kindOf(call("GET", "/v2/nothing"))).toBe("NotFound");
    const wrong = await call("PATCH", "/v1/clusters/alpha");
    expect(wrong.headers.get("allow")).toBe("GET, DELETE");
    expect(await kindOf(wrong)).toBe("MethodNotAllowed");
  });

  it("is neither stored nor sniffed, problems included", async () => {
    for (const path of ["/healthz", "/v1/records", "/v1/nothing"]) {
      const { headers } = await call("GET", path);
      expect(headers.get("cache-control")).toBe("private, no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    }
  });

  it("goes on without a setting that only says who may look or is told, and says so", async () => {
    const settings = { NOTIFICATIONS: '[{"name":"ops","kind":"slack","url":"canary"}]', PUBLIC_VIEW: "canary" };
    const health = await call("GET", "/healthz", { settings, token: null });
    expect(health.status).toBe(200);
    const text = await health.text();
    expect(text).toContain(
      "ok\nPUBLIC_VIEW: must be one of off, overview, overview-without-addresses; the edge goes on",
    );
    expect(text).toContain("NOTIFICATIONS[0].url: must be a URL; the edge goes on without it\n");
    expect(text).not.toContain("canary");
    expect(await kindOf(call("GET", "/v1/overview", { settings, token: null }))).toBe("TokenMissing");
    const metrics = await (await call("GET", "/metrics", { settings })).text();
    expect(metrics).toContain('vedette_edge_setting_faults{setting="NOTIFICATIONS"} 1');
  });

  it("tells what is wrong with the settings, and nothing of a failure within", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const response = await call("GET", "/healthz", { settings: { PARTITIONS: "many", HEADER_KEY: "c2hvcnQ=" } });
    const text = await response.clone().text();
    expect(await kindOf(response)).toBe("SettingsWrong");
    expect(text).toContain('PARTITIONS: \\"many\\" must be a number');
    expect(text).toContain("HEADER_KEY: must be 32 bytes in base64");
    expect(text).not.toContain("c2hvcnQ=");
    const broken = {
      getByName: () => {
        throw new Error("secret inside");
      },
    };
    const failed = await serve(
      app,
      new Request("https://edge.test/v1/clusters/alpha", { headers: { authorization: `Bearer ${TOKEN}` } }),
      { ...bindings, ADMIN_TOKEN: TOKEN, CLUSTER: broken } as unknown as Env,
      createExecutionContext(),
    );
    const answer = await failed.clone().text();
    expect(await kindOf(failed)).toBe("InternalError");
    expect(answer).not.toMatch(/secret inside|at .*\.ts/);
  });
});

describe("the OpenAPI document", () => {
  const pathItem = z.record(z.string(), z.looseObject({ responses: z.record(z.string(), z.looseObject({})) }));
  const openApi = z.looseObject({ openapi: z.literal("3.1.0"), paths: z.record(z.string(), pathItem) });

  it("lists every route with its answers and its problems", async () => {
    const document = openApi.parse(await json(call("GET", "/openapi.json", { token: null })));
    const listed = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    const served = ROUTES.map(
      ({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)(\{.*\})?/g, "{$1}")}`,
    );
    expect(listed.sort()).toEqual(served.sort());
    expect(listed).toContain("get /v1/probes/{id}");
    const put = document.paths["/v1/clusters/{cluster}/snapshot"]?.put;
    expect(Object.keys(put?.responses ?? {})).toEqual(
      expect.arrayContaining(["200", "400", "401", "404", "409", "412", "413", "422", "428", "500"]),
    );
  });

  it("shows the fields of a record as they are written", async () => {
    const text = await (await call("GET", "/openapi.json")).text();
    for (const field of ["rootHost", "failureThreshold", "additionalHeadersRef", "staleAfter"])
      expect(text).toContain(`"${field}"`);
    expect(text).not.toContain("x-kubernetes-");
  });
});
