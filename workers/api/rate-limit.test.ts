import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { problem } from "../../shared/model/problem.ts";
import type { Env } from "../env.ts";
import { createApp, serve } from "./app.ts";
import { clientOf, RATE_LIMITS, type RateLimitName } from "./rate-limit.ts";

const bindings = env as unknown as Env;
const ADMIN_TOKEN = "test-admin-token-0123456789";
const VIEW_TOKEN = "test-view-token-0123456789";
const app = createApp();

function call(path: string, address: string | undefined, token?: string, more: object = {}): Promise<Response> {
  const headers = {
    ...(address !== undefined && { "cf-connecting-ip": address }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const settings = { ...bindings, ADMIN_TOKEN, VIEW_TOKEN, ...more };
  return serve(app, new Request(`https://edge.test${path}`, { headers }), settings, createExecutionContext());
}

/** Asks so often that a limit is reached, in whatever two windows the calls come to lie. */
async function askTooOften(name: RateLimitName, ask: () => Promise<Response>) {
  const answers = await Promise.all(Array.from({ length: 2 * RATE_LIMITS[name].requests + 1 }, ask));
  const refused = answers.filter(({ status }) => status === 429);
  return { answered: answers.length - refused.length, refused };
}

describe("who asks too often", () => {
  it.each<[RateLimitName, string, string, string | undefined]>([
    ["RATE_ADMIN", "/v1/clusters/none", "9.9.9.1", ADMIN_TOKEN],
    ["RATE_WRONG_TOKENS", "/v1/records/-", "9.9.9.4", "wrong"],
  ])("is refused by %s, and told limit, window and when to come back", async (name, path, address, token) => {
    const { answered, refused } = await askTooOften(name, () => call(path, address, token));
    const { requests, windowSeconds } = RATE_LIMITS[name];
    expect(answered).toBeGreaterThanOrEqual(requests);
    const [first] = refused;
    expect(first?.headers.get("retry-after")).toBe(`${windowSeconds}`);
    expect(problem.parse(await first?.json())).toMatchObject({
      type: "https://vedette.dev/problems/TooManyRequests",
      detail: expect.stringContaining(`${name}: at most ${requests} in ${windowSeconds} s`),
    });
  });

  it("is no other address, no other cluster, and nobody who comes from no public one", async () => {
    const agent = await askTooOften("RATE_AGENT", () => call("/v1/clusters/-/records", "9.9.9.5"));
    expect(agent.refused[0]?.headers.get("retry-after")).toBe("10");
    const status = async (path: string, address?: string) => (await call(path, address)).status;
    expect(await status("/v1/clusters/-/records", "9.9.9.6")).not.toBe(429);
    expect(await status("/v1/clusters/--/records", "9.9.9.5")).not.toBe(429);
    const { refused } = await askTooOften("RATE_WRONG_TOKENS", () => call("/v1/records/-", "127.0.0.1", "wrong"));
    expect(refused).toEqual([]);
  });

  it("with wrong tokens is answered nothing any more, not even with the right one, but as an agent", async () => {
    const address = "9.9.9.7";
    await askTooOften("RATE_WRONG_TOKENS", () => call("/v1/records/-", address, "wrong"));
    expect((await call("/v1/records/-", address, VIEW_TOKEN)).status).toBe(429);
    expect((await call("/v1/clusters/-/records", address)).status).toBe(404);
  });

  it("is let through where a limit is not bound, or cannot be counted", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const broken = { limit: () => Promise.reject(new Error("away")) };
    for (const RATE_ADMIN of [undefined, broken]) {
      const ask = () => call("/v1/clusters/-", "9.9.9.8", ADMIN_TOKEN, { RATE_ADMIN, RATE_ADDRESS: undefined });
      expect((await askTooOften("RATE_ADMIN", ask)).refused).toEqual([]);
    }
    const health = await (await call("/healthz", undefined, undefined, { RATE_ADMIN: undefined })).text();
    expect(health).toBe("ok\nRATE_ADMIN: is not bound in wrangler.toml; nothing is limited by it\n");
    expect(await (await call("/healthz", undefined)).text()).toBe("ok\n");
  });
});

describe("the limits", () => {
  it("are in wrangler.toml as they are told", () => {
    const [config = ""] = Object.values(
      import.meta.glob<string>("../../wrangler.toml", { query: "?raw", import: "default", eager: true }),
    );
    const bound = config.matchAll(
      /\[\[ratelimits\]\]\nname = "(\w+)"\nnamespace_id = "\d+"\nsimple = \{ limit = (\d+), period = (\d+) \}/g,
    );
    const told = Object.entries(RATE_LIMITS).map(([name, { requests, windowSeconds }]) => [
      name,
      requests,
      windowSeconds,
    ]);
    expect([...bound].map(([, name, limit, period]) => [name, Number(limit), Number(period)])).toEqual(told);
  });
});

describe("a client", () => {
  it.each([
    ["9.9.9.9", "9.9.9.9"],
    ["::ffff:8.8.8.8", "8.8.8.8"],
    ["2606:4700:1:2:3:4:5:6", "2606:4700:1:2"],
    ["127.0.0.1", undefined],
    ["10.1.2.3", undefined],
    ["fd00::1", undefined],
    ["nonsense", undefined],
    [undefined, undefined],
  ])("%s counts as %s", (address, client) => {
    expect(clientOf(address)).toBe(client);
  });
});
