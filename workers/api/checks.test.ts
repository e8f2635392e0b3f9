import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { type CheckAnswer, checkAnswer } from "../../shared/model/check-now.ts";
import type { FieldError } from "../../shared/model/problem.ts";
import { startOwnGateway } from "../../test/support/own-gateway.ts";
import type { Env } from "../env.ts";
import { createApp, serve } from "./app.ts";

const { named, closed, blackHoles } = inject("gateways");
const bindings = env as unknown as Env;
const TOKEN = "test-admin-token-0123456789";
const app = createApp();

afterEach(() => {
  vi.restoreAllMocks();
});

function post(body: object, settings: object = {}, token: string | undefined = TOKEN): Promise<Response> {
  const headers: Record<string, string> = token === "" ? {} : { authorization: `Bearer ${token}` };
  const request = new Request("https://edge.test/v1/checks", { method: "POST", headers, body: JSON.stringify(body) });
  return serve(app, request, { ...bindings, ADMIN_TOKEN: TOKEN, ...settings }, createExecutionContext());
}

const shop = (port: number) => `http://shop.test:${port}/`;

async function check(body: object, settings: object = {}): Promise<CheckAnswer> {
  const response = await post({ address: "127.0.0.1", regions: ["weur"], ...body }, settings);
  expect(response.status).toBe(200);
  return checkAnswer.parse(await response.json());
}

async function faults(body: object, settings: object = {}): Promise<FieldError[]> {
  const response = await post({ url: shop(80), address: "127.0.0.1", regions: ["weur"], ...body }, settings);
  expect(response.status).toBe(422);
  return (await response.json<{ errors: FieldError[] }>()).errors;
}

describe("a check now", () => {
  it("says what each region found, with its phases, in the order asked for", async () => {
    const { results } = await check({ url: shop(named.good), regions: ["weur", "apac", "enam"] });
    expect(results.map(({ region, outcome }) => `${region} ${outcome}`)).toEqual(["weur ok", "apac ok", "enam ok"]);
    const phases = { connectMs: expect.any(Number), firstByteMs: expect.any(Number), totalMs: expect.any(Number) };
    expect(results[0]?.observation).toMatchObject({ reason: "Ok", httpStatus: 200, phases });
  });

  it("asks for the host, port and path of the URL, as a prober of that region", async () => {
    const { port, seen } = await startOwnGateway("forShop");
    await check({ url: `http://shop.test:${port}/a/b?c=d`, regions: ["apac-ne"] });
    const { lastRequest } = await seen();
    expect(lastRequest).toMatch(/^GET \/a\/b\?c=d HTTP/);
    expect(lastRequest).toContain(`\r\nHost: shop.test:${port}\r\n`);
    expect(lastRequest).toContain("region=apac-ne)");
  });

  it.each([
    ["a closed port", closed, {}, "ConnectFailed", "failed"],
    ["another status", named.unavailable, {}, "UnexpectedStatus", "failed"],
    ["a status that is expected", named.unavailable, { expectedStatuses: ["503"] }, "Ok", "ok"],
    ["silence", named.silent, { timeout: "300ms" }, "ResponseTimeout", "failed"],
    ["an address that no SYN comes back from", blackHoles[0] ?? 0, { timeout: "300ms" }, "ConnectTimeout", "failed"],
  ])("tells %s", async (_, port, more, reason, outcome) => {
    const { results } = await check({ url: shop(port), ...more });
    expect(results).toMatchObject([{ region: "weur", outcome, observation: { reason } }]);
  });

  it("resolves an address that is a name, and dials none that may not be", async () => {
    const { results } = await check({ url: shop(named.good), address: "one.test" });
    expect(results).toMatchObject([{ outcome: "ok", observation: { address: "127.0.0.1" } }]);
    const refused = await check({ url: shop(named.good), address: "one.test" }, { PROBER: await withoutPrivate() });
    expect(refused.results).toMatchObject([{ outcome: "indeterminate", observation: { reason: "NotProbeable" } }]);
  });

  it("stores nothing in the prober, and arms no alarm", async () => {
    await check({ url: shop(named.good), regions: ["oc"] });
    const left = await runInDurableObject(bindings.PROBER.getByName("oc/check"), async (_, { storage }) => ({
      tables: storage.sql.exec("SELECT name FROM sqlite_master").toArray(),
      alarm: await storage.getAlarm(),
    }));
    expect(left).toEqual({ tables: [], alarm: null });
  });

  it("runs beside others of the same address", async () => {
    const checks = Array.from({ length: 6 }, () => check({ url: shop(named.good), regions: ["afr"] }));
    for (const { results } of await Promise.all(checks)) expect(results).toMatchObject([{ outcome: "ok" }]);
  });

  it("tells the data centre, where that can be learnt", async () => {
    const body = "fl=1\ncolo=AMS\n";
    const settings = { PROBER: await withColo(body) };
    const { results } = await check({ url: shop(named.good), regions: ["me"] }, settings);
    expect(results).toMatchObject([{ outcome: "ok", colo: "AMS" }]);
  });

  it("goes on without a region that fails", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const PROBER = {
      getByName: (name: string) => {
        if (name === "sam/check") return { checkNow: () => Promise.reject(new Error("it moves")) };
        return bindings.PROBER.getByName(name);
      },
    };
    const { results } = await check({ url: shop(named.good), regions: ["sam", "weur"] }, { PROBER });
    expect(results).toMatchObject([
      { region: "sam", outcome: "indeterminate" },
      { region: "weur", outcome: "ok" },
    ]);
    expect(results[0]).not.toHaveProperty("observation");
  });
});

describe("a request for a check", () => {
  it("wants the admin token, also where reads are public", async () => {
    const body = { url: shop(named.good), address: "127.0.0.1", regions: ["weur"] };
    expect((await post(body, { PUBLIC_READS: "true" }, "")).status).toBe(401);
    expect((await post(body, { ADMIN_TOKEN: undefined })).status).toBe(403);
  });

  it.each([
    [{ url: "ftp://shop.test/" }, "url", "must be http(s)"],
    [{ url: "http://shop.test:25/" }, "url", "as its port must not be 25"],
    [{ url: "http://203.0.113.1/" }, "url", "as its host must be a host name, not an address"],
    [{ url: "http://shop.test/#top" }, "url", "must not hold a fragment"],
    [{ timeout: "31s" }, "timeout", "must be from 100ms to 30s"],
    [{ timeout: "soon" }, "timeout", "must be a duration"],
    [{ expectedStatuses: ["199"] }, "expectedStatuses[0]", "must be a status"],
    [{ regions: ["weur", "weur"] }, "regions", "must not name a region twice"],
    [{ regions: ["moon"] }, "regions[0]", "must be one of"],
    [{ allowInsecureCertificate: true }, "allowInsecureCertificate", "has no meaning with protocol HTTP"],
    [{ address: "104.16.0.1" }, "address", "cannot be probed: 104.16.0.1 is an address of Cloudflare"],
    [{ address: "224.0.0.1" }, "address", "cannot be probed: 224.0.0.1 is a multicast address"],
    [{ address: "a b" }, "address", "is no address, and as a host name it"],
    [{ port: 80 }, "port", "is not a known field"],
  ])("with %j is refused by name", async (change, field, rule) => {
    const found = await faults(change);
    expect(found.map((fault) => fault.field)).toContain(field);
    expect(found.find((fault) => fault.field === field)?.rule).toContain(rule);
  });

  it("is refused for a private address, unless the settings allow them", async () => {
    const [fault] = await faults({ address: "10.0.0.1" }, { ALLOW_PRIVATE_ADDRESSES: "false" });
    expect(fault).toMatchObject({ field: "address", rule: "cannot be probed: 10.0.0.1 is a private address" });
  });

  it("never has a password repeated", async () => {
    const response = await post({ url: "http://me:S3CR3T@shop.test/", address: "127.0.0.1", regions: ["weur"] });
    expect(response.status).toBe(422);
    expect(await response.text()).not.toContain("S3CR3T");
  });
});

/** Probers whose own settings are others than the Worker's in this test. */
async function probersWith(name: string, settings: object) {
  const own = `${crypto.randomUUID()}/${name}`;
  const stub = bindings.PROBER.getByName(own);
  await runInDurableObject(stub, (prober) => {
    Object.assign(prober, { env: { ...Reflect.get(prober, "env"), ...settings } });
  });
  return { getByName: () => bindings.PROBER.getByName(own) };
}

const withoutPrivate = () => probersWith("check", { ALLOW_PRIVATE_ADDRESSES: "false" });

async function withColo(body: string) {
  vi.spyOn(globalThis, "fetch").mockImplementation(() => Promise.resolve(new Response(body)));
  return probersWith("check", { COLO_URL: "https://colo.test/trace" });
}
