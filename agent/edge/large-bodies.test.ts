import { Hono } from "hono";
import { expect, it } from "vitest";
import { limitLargeBodies } from "./webhook.ts";

it("large bodies, and those of no known size, wait for each other; small ones for nobody", async () => {
  const held = Promise.withResolvers<void>();
  const app = new Hono();
  app.use(limitLargeBodies(10, 1, () => new Response("full", { status: 503 })));
  app.post("/", async (context) => {
    if (context.req.header("held") !== undefined) await held.promise;
    return context.text("taken");
  });
  const post = (headers: Record<string, string>) => app.request("/", { method: "POST", headers, body: "x" });
  const statusOf = async (headers: Record<string, string>) => (await post(headers)).status;
  const first = statusOf({ "content-length": "11", held: "1" });
  expect(await statusOf({ "content-length": "11" })).toBe(503);
  expect(await statusOf({})).toBe(503);
  expect(await statusOf({ "content-length": "10" })).toBe(200);
  held.resolve();
  expect(await first).toBe(200);
  expect(await statusOf({ "content-length": "11" })).toBe(200);
});
