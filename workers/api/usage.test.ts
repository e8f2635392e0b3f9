import { expect, it } from "vitest";
import { usageView } from "../../shared/model/usage-view.ts";
import { recordOf } from "../../test/support/cluster.ts";
import { callEdge, ownCoordinators, registerAndPush, shareOut, VIEW_TOKEN } from "../../test/support/edge.ts";

async function read(options: Parameters<typeof callEdge>[1]) {
  const answer = await callEdge("/v1/usage", options);
  expect(answer.status).toBe(200);
  return usageView.parse(await answer.json());
}

it("is joined from all partitions, and counts what they were just called for", async () => {
  const settings = ownCoordinators(4);
  await registerAndPush("usage", [recordOf("one")]);
  await shareOut(settings, "usage", ["a.example.com", "b.example.com", "c.example.com", "d.example.com"]);
  const seen = await read({ settings, token: VIEW_TOKEN });
  expect(seen).toMatchObject({ plan: "paid", pace: "today", endpoints: 0, route53Usd: 0 });
  expect(seen.today.coordinators.requests).toBeGreaterThan(4);
  expect(seen.today.coordinators.rowsWritten).toBeGreaterThan(4);
  expect(seen.today.total.requests).toBe(seen.today.coordinators.requests);
  expect(seen.limits.map(({ per }) => per)).toEqual(["month", "month", "month", "month"]);
});

it("of an edge that nobody uses is nothing, for the free plan against the limits of a day, and for readers alone", async () => {
  const settings = { ...ownCoordinators(2), PLAN: "free" };
  const seen = await read({ settings });
  expect(seen).toMatchObject({ plan: "free", monthUsd: 0, today: { total: { requests: 0 } } });
  expect(seen.limits).toContainEqual({ item: "rowsWritten", used: 0, limit: 100_000, per: "day" });
  expect((await callEdge("/v1/usage", { settings, token: undefined })).status).toBe(401);
});
