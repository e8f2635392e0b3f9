import { describe, expect, it } from "vitest";
import { signatureHeaders } from "../../shared/signature.ts";
import type { Applied } from "../controller.ts";
import { makeWebhook } from "./webhook.ts";

const NOW = Date.UTC(2026, 10, 30, 12);
const MINUTE = 60_000;
const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const next = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
const other = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;
const body = '{"n":1}';

function start(more: { ready?: boolean; applied?: Applied; pull?: boolean } = {}) {
  const taken: unknown[] = [];
  const app = makeWebhook({
    secrets: more.pull ? undefined : [secret, next],
    isReady: () => more.ready ?? true,
    apply: async (json) => {
      taken.push(json);
      return more.applied ?? { kind: "Applied", number: { epoch: 3, n: 4 }, takesChanges: false };
    },
    now: () => NOW,
  });
  const post = (headers: Record<string, string>, text: string | Buffer = body) =>
    app.request("/v1/delivery", { method: "POST", headers, body: text });
  return { app, post, taken };
}

const signed = (atMs = NOW, by = secret, text = body) => signatureHeaders(by, "delivery_1", text, atMs);

describe("a signature", () => {
  it.each([
    ["four minutes old", signed(NOW - 4 * MINUTE), 200],
    ["half a minute ahead", signed(NOW + 30_000), 200],
    ["of the next secret, while rotating", signed(NOW, next), 200],
    [
      "beside one of another secret",
      {
        ...signed(),
        "webhook-signature": `${signed(NOW, other)["webhook-signature"]} ${signed()["webhook-signature"]}`,
      },
      200,
    ],
    ["six minutes old", signed(NOW - 6 * MINUTE), 401],
    ["six minutes ahead", signed(NOW + 6 * MINUTE), 401],
    ["of another secret", signed(NOW, other), 401],
    ["of another body", signed(NOW, secret, `${body} `), 401],
    ["with another id", { ...signed(), "webhook-id": "delivery_2" }, 401],
    ["with another time", { ...signed(), "webhook-timestamp": `${NOW / 1000 + 1}` }, 401],
    ["in milliseconds", { ...signed(), "webhook-timestamp": `${NOW}` }, 401],
    ["with a negative time", { ...signed(), "webhook-timestamp": "-1" }, 401],
    ["with no number for a time", { ...signed(), "webhook-timestamp": "NaN" }, 401],
    ["that is missing", {}, 401],
  ])("%s is answered with %s", async (_, headers, status) => {
    const { post, taken } = start();
    const response = await post(headers);
    expect(response.status).toBe(status);
    expect(taken).toHaveLength(status === 200 ? 1 : 0);
    expect(await response.text()).not.toContain("whsec");
  });

  it("covers every byte", async () => {
    const { post } = start();
    for (let at = 0; at < body.length; at += 1) {
      const changed = Buffer.from(body);
      changed[at]! ^= 1;
      expect((await post(signed(), changed)).status).toBe(401);
    }
    expect((await post(signed(), Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from(body)]))).status).toBe(401);
  });
});

describe("a delivery", () => {
  it("is acknowledged with the highest number applied", async () => {
    const response = await start().post(signed());
    expect(await response.json()).toEqual({ version: 1, acknowledged: { epoch: 3, n: 4 } });
  });

  it.each([
    ["before the records are read", { ready: false }, 503, "NotReady"],
    ["whose state cannot be stored", { applied: { kind: "NotStored" as const } }, 503, "StateNotStored"],
    [
      "that is malformed",
      { applied: { kind: "Refused" as const, message: "number: is required" } },
      422,
      "DeliveryRefused",
    ],
  ])("%s is no acknowledgement", async (_, more, status, title) => {
    const response = await start(more).post(signed());
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(response.headers.has("retry-after")).toBe(status === 503);
    expect(await response.json()).toMatchObject({ status, title });
  });

  it("before the records are read reaches nobody", async () => {
    const { post, taken } = start({ ready: false });
    await post(signed());
    expect(taken).toEqual([]);
  });

  it("that is no JSON, or too large, is refused", async () => {
    expect((await start().post(signed(NOW, secret, "{"), "{")).status).toBe(400);
    const huge = "x".repeat(33 * 1024 * 1024);
    expect((await start().post({ "content-length": `${huge.length}` }, huge)).status).toBe(413);
  });

  it("has no place where deliveries are asked for", async () => {
    expect((await start({ pull: true }).post(signed())).status).toBe(404);
  });
});

describe("health", () => {
  it.each([
    [true, 200],
    [false, 503],
  ])("with records read: %s is readiness %s, and life in any case", async (ready, status) => {
    const { app } = start({ ready });
    expect((await app.request("/readyz")).status).toBe(status);
    expect((await app.request("/healthz")).status).toBe(200);
  });

  it("does not wait for a delivery that is under way", async () => {
    const applying = Promise.withResolvers<Applied>();
    const app = makeWebhook({ secrets: [secret], isReady: () => true, apply: () => applying.promise, now: () => NOW });
    const delivery = app.request("/v1/delivery", { method: "POST", headers: signed(), body });
    expect((await app.request("/readyz")).status).toBe(200);
    applying.resolve({ kind: "Applied", number: { epoch: 1, n: 1 }, takesChanges: false });
    expect((await delivery).status).toBe(200);
  });
});
