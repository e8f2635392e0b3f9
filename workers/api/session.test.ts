import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Env } from "../env.ts";
import { readSettings } from "../settings.ts";
import { createApp, serve } from "./app.ts";
import { roleOfCookie, SESSION_SECONDS, sessionCookie } from "./session-cookie.ts";

const ADMIN = "admin-token-0123456789";
const VIEW = "view-token-0123456789";
const TOKENS = { ADMIN_TOKEN: ADMIN, VIEW_TOKEN: VIEW };
const NOW = Date.UTC(2026, 10, 30);
const ORIGIN = "https://edge.test";
const app = createApp();

interface Call {
  headers?: Record<string, string>;
  body?: string;
  settings?: Record<string, string | undefined>;
}

function call(method: string, path: string, { headers = {}, body, settings = {} }: Call = {}): Promise<Response> {
  const request = new Request(`${ORIGIN}${path}`, { method, headers, ...(body !== undefined && { body }) });
  const bindings = { ...(env as unknown as Env), ...TOKENS, ...settings };
  return serve(app, request, bindings, createExecutionContext());
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const logIn = (token: string, more: Call = {}) =>
  call("POST", "/v1/session", { ...more, body: JSON.stringify({ token }) });

/** The `Cookie` header that a browser sends after this answer. */
const cookieOf = (answer: Response): string => (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";

/** The status, and the kind of problem where it is one. */
async function outcome(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  const text = await response.text();
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  return isProblem ? `${response.status} ${JSON.parse(text).type.split("/").at(-1)}` : `${response.status}`;
}

describe("a session", () => {
  it("stands for the token that it was begun with, for reading", async () => {
    const viewer = { cookie: cookieOf(await logIn(VIEW)) };
    const admin = { cookie: `other=1; ${cookieOf(await logIn(ADMIN))}` };
    expect(await outcome(call("GET", "/v1/records", { headers: viewer }))).toBe("200");
    expect(await outcome(call("GET", "/v1/clusters", { headers: viewer }))).toBe("403 AdminTokenNeeded");
    expect(await outcome(call("GET", "/v1/records", { headers: admin }))).toBe("200");
    expect(await outcome(call("GET", "/v1/clusters", { headers: admin }))).toBe("200");
  });

  it("is kept by the browser where no script, no other site and no plain connection gets it", async () => {
    const answer = await logIn(VIEW);
    expect(answer.status).toBe(204);
    const [pair, ...attributes] = (answer.headers.get("set-cookie") ?? "").split("; ");
    expect(pair).toMatch(/^__Host-vedette=viewer\.\d+\.[0-9a-f]{64}$/);
    expect(attributes.sort()).toEqual(["HttpOnly", "Max-Age=86400", "Path=/", "SameSite=Strict", "Secure"]);
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
  });

  it.each(["POST", "DELETE"])("changes nothing: %s wants the token itself", async (method) => {
    const headers = { cookie: cookieOf(await logIn(ADMIN)) };
    const path = method === "POST" ? "/v1/clusters" : "/v1/clusters/any";
    const body = method === "POST" ? JSON.stringify({ cluster: "any", hosts: ["a.test"] }) : undefined;
    expect(await outcome(call(method, path, { headers, ...(body && { body }) }))).toBe("401 TokenMissing");
  });

  it("is nothing in the hands of another origin, also one of the same site", async () => {
    const cookie = cookieOf(await logIn(VIEW));
    const from = (origin: string) => outcome(call("GET", "/v1/records", { headers: { cookie, origin } }));
    expect(await from(ORIGIN)).toBe("200");
    expect(await from("https://sibling.edge.test")).toBe("401 TokenMissing");
    expect(await from("null")).toBe("401 TokenMissing");
  });

  it("ends where the cookie is cleared", async () => {
    const answer = await call("DELETE", "/v1/session");
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toMatch(/^__Host-vedette=; Max-Age=0; Path=\/; HttpOnly; Secure/);
  });

  it.each([
    ["a token that is nobody's", { token: "x".repeat(20) }, {}, "401 TokenWrong"],
    ["no token", {}, {}, "422 FieldInvalid"],
    ["a page of another origin", { token: VIEW }, { origin: "https://edge.test:8443" }, "403 OriginForeign"],
    ["a page without an origin", { token: VIEW }, { origin: "null" }, "403 OriginForeign"],
  ])("does not begin with %s", async (_name, body, headers, expected) => {
    const answer = call("POST", "/v1/session", { headers, body: JSON.stringify(body) });
    expect((await answer).headers.get("set-cookie")).toBe(null);
    expect(await outcome(answer)).toBe(expected);
  });

  it("is told apart from a token in errors: none shows what was given", async () => {
    const answer = await call("POST", "/v1/session", { body: JSON.stringify({ token: "mistyped".repeat(200) }) });
    expect(answer.status).toBe(422);
    expect(await answer.text()).not.toContain("mistyped");
  });
});

describe("a session's cookie", () => {
  const settings = readSettings(TOKENS);
  const viewer = sessionCookie(settings, "viewer", NOW).split(";")[0] ?? "";

  it("holds until its end and no longer", () => {
    const end = NOW + SESSION_SECONDS * 1000;
    expect(roleOfCookie(settings, viewer, end - 1)).toBe("viewer");
    expect(roleOfCookie(settings, viewer, end)).toBe(undefined);
  });

  it("ends with its token, and with that alone", () => {
    expect(roleOfCookie(readSettings({ ...TOKENS, VIEW_TOKEN: `${VIEW}x` }), viewer, NOW)).toBe(undefined);
    expect(roleOfCookie(readSettings({ ADMIN_TOKEN: ADMIN }), viewer, NOW)).toBe(undefined);
    expect(roleOfCookie(readSettings({ ...TOKENS, ADMIN_TOKEN: `${ADMIN}x` }), viewer, NOW)).toBe("viewer");
  });

  it.each([
    ["another role", viewer.replace("viewer", "admin")],
    ["a later end", viewer.replace(/\.(\d)/, (_, digit) => `.${Number(digit) + 1}`)],
    ["another signature", viewer.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"))],
    ["no signature", viewer.replace(/[^.]*$/, "")],
    ["nothing", ""],
  ])("does not hold with %s", (_name, forged) => {
    expect(roleOfCookie(settings, forged, NOW)).toBe(undefined);
  });
});

describe("who reads", () => {
  const none = { ADMIN_TOKEN: undefined, VIEW_TOKEN: undefined };

  it.each([
    ["with the view token", bearer(VIEW), {}, "200"],
    ["with the admin token", bearer(ADMIN), {}, "200"],
    ["with nothing", {}, {}, "401 TokenMissing"],
    ["with nothing, where nobody has a token", {}, none, "403 AdminClosed"],
    ["with nothing, where reads are public", {}, { ...none, PUBLIC_READS: "true" }, "200"],
    ["with a token that is nobody's", bearer("x".repeat(20)), {}, "401 TokenWrong"],
    ["with the view token, where nobody has the admin token", bearer(VIEW), { ADMIN_TOKEN: undefined }, "200"],
    ["with nothing, where the overview alone is public", {}, { PUBLIC_VIEW: "overview" }, "401 TokenMissing"],
  ])("%s", async (_name, headers, settings, expected) => {
    expect(await outcome(call("GET", "/v1/records", { headers, settings }))).toBe(expected);
  });

  it("with the view token, reads, and is told what it does not open", async () => {
    const headers = bearer(VIEW);
    expect(await outcome(call("GET", "/v1/clusters", { headers }))).toBe("403 AdminTokenNeeded");
    expect(await outcome(call("DELETE", "/v1/clusters/any", { headers }))).toBe("403 AdminTokenNeeded");
  });
});

describe("an answer", () => {
  const PUBLIC = { PUBLIC_VIEW: "overview-without-addresses" };

  it("to the public may be kept for a second, apart from what others get", async () => {
    const answer = await call("GET", "/v1/overview", { settings: PUBLIC });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=1");
    expect(answer.headers.get("vary")).toBe("cookie, authorization");
    expect(await answer.json()).toMatchObject({ role: "public", addressesHidden: true, clusters: [] });
  });

  it.each([
    ["a viewer", bearer(VIEW), "200"],
    ["an admin", bearer(ADMIN), "200"],
    ["a token that is nobody's, which is not the public's", bearer("x".repeat(20)), "401 TokenWrong"],
  ])("to %s is kept nowhere", async (_name, headers, expected) => {
    const answer = call("GET", "/v1/overview", { headers, settings: PUBLIC });
    expect((await answer).headers.get("cache-control")).toBe("private, no-store");
    expect(await outcome(answer)).toBe(expected);
  });

  it("to a session that ended is what the public gets", async () => {
    const cookie = (await logIn(VIEW)).headers.get("set-cookie")?.split(";")[0]?.replace("viewer", "admin") ?? "";
    const answer = await call("GET", "/v1/overview", { headers: { cookie }, settings: PUBLIC });
    expect(await answer.json()).toMatchObject({ role: "public" });
  });

  it("of a failure is kept nowhere, whoever asks", async () => {
    const answer = await call("GET", "/v1/events", { settings: PUBLIC });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
  });
});

describe("the settings", () => {
  it.each([
    ["a short view token", { VIEW_TOKEN: "short-canary" }, /VIEW_TOKEN: must be at least 16/],
    ["one token for both", { ADMIN_TOKEN: ADMIN, VIEW_TOKEN: ADMIN }, /VIEW_TOKEN: must differ from ADMIN_TOKEN/],
    ["a view that is neither", { PUBLIC_VIEW: "some" }, /PUBLIC_VIEW: must be one of off, overview/],
  ])("go without %s, and show no token", (_name, given, words) => {
    const settings = readSettings(given);
    expect(settings).toMatchObject({ PUBLIC_VIEW: "off", faults: [{ text: expect.stringMatching(words) }] });
    expect(settings.VIEW_TOKEN).toBeUndefined();
    expect(JSON.stringify(settings.faults)).not.toMatch(/short-canary|admin-token/);
  });
});
