import { listDurableObjectIds, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, inject, it, vi } from "vitest";
import { MAX_POINTS, MAX_SERIES, recordHistory, SPANS } from "../../shared/model/history.ts";
import type { SnapshotRecordInput } from "../../shared/model/messages/snapshot.ts";
import { recordOf } from "../../test/support/cluster.ts";
import { callEdge, type EdgeCall, registerAndPush, VIEW_TOKEN } from "../../test/support/edge.ts";
import type { Env } from "../env.ts";
import type { HistoryQuestion, RecordProber } from "../rpc.ts";

const { PROBER } = env as unknown as Env;
const { named } = inject("gateways");
const HOST = "kept.example.com";

afterEach(() => {
  vi.restoreAllMocks();
});

async function read(path: string, options: EdgeCall = {}) {
  const answer = await callEdge(path, options);
  expect(answer.status).toBe(200);
  return recordHistory.parse(await answer.json());
}

async function problemOf(path: string, options: EdgeCall = {}) {
  const answer = await callEdge(path, options);
  const { type, errors } = await answer.json<{ type: string; errors?: unknown }>();
  return { status: answer.status, kind: type.split("/").at(-1), ...(errors !== undefined && { errors }) };
}

it("tells what real probers saw, which of them do not answer, and availability over all", async () => {
  const spec: SnapshotRecordInput["spec"] = {
    rootHost: HOST,
    endpoints: [{ dnsName: HOST, recordType: "A", targets: ["127.0.0.1"] }],
    healthCheck: { protocol: "HTTP", port: named.good, path: "/", interval: "30m", regions: ["weur", "enam"] },
  };
  await registerAndPush("kept", [recordOf("kept", { spec })]);
  await vi.waitFor(async () => expect(await listDurableObjectIds(PROBER)).toHaveLength(2));
  // Before a round there is nothing to tell.
  expect(await read(`/v1/records/${HOST}/history`)).toMatchObject({ availability: null, missing: [] });
  for (const id of await listDurableObjectIds(PROBER)) await runDurableObjectAlarm(PROBER.get(id));

  const answer = await read(`/v1/records/${HOST}/history?span=6h`, { token: VIEW_TOKEN });
  expect(answer).toMatchObject({ rootHost: HOST, span: "6h", stepMs: 60_000, availability: 1, missing: [] });
  expect(answer.to - answer.from).toBeGreaterThanOrEqual(SPANS["6h"].spanMs);
  expect(answer.series).toMatchObject(
    ["enam", "weur"].map((region) => ({
      probe: "kept/shop/kept/127.0.0.1",
      leaf: "127.0.0.1",
      region,
      points: [{ ok: 1, failed: 0, indeterminate: 0, tlsMs: null, totalMs: expect.any(Number) }],
    })),
  );
  expect(answer.series.every(({ points }) => points.every(({ at }) => at >= answer.from && at <= answer.to))).toBe(
    true,
  );
  for (const span of ["7d", "90d"] as const) {
    const longer = await read(`/v1/records/${HOST}/history?span=${span}`);
    expect([longer.stepMs, longer.series.map(({ points }) => points[0]?.ok)]).toEqual([SPANS[span].stepMs, [1, 1]]);
  }

  vi.spyOn(console, "warn").mockReturnValue();
  const broken = { history: () => Promise.reject(new Error("reset S3CR3T")) };
  const getByName = (name: string) => (name.startsWith("enam/") ? broken : PROBER.getByName(name));
  const part = await read(`/v1/records/${HOST}/history`, { settings: { PROBER: { getByName } } });
  expect(part).toMatchObject({ missing: ["enam"], series: [{ region: "weur" }], availability: 1 });
  expect(await listDurableObjectIds(PROBER)).toHaveLength(2);
});

it("refuses other spans, unknown records and strangers", async () => {
  expect(await problemOf(`/v1/records/${HOST}/history?span=1y`)).toEqual({
    status: 422,
    kind: "FieldInvalid",
    errors: [{ field: "span", value: "1y", rule: "must be one of 6h, 7d, 90d" }],
  });
  expect(await problemOf(`/v1/records/${HOST}/history?spam=7d`)).toMatchObject({ status: 422, kind: "FieldInvalid" });
  expect(await problemOf("/v1/records/nobody.example.com/history")).toEqual({ status: 404, kind: "RecordUnknown" });
  expect(await problemOf("/v1/records/-/history")).toEqual({ status: 404, kind: "RecordUnknown" });
  const stranger = { token: undefined, settings: { PUBLIC_VIEW: "overview" } };
  expect(await problemOf(`/v1/records/${HOST}/history`, stranger)).toMatchObject({ status: 401 });
});

/** An edge whose record has many leaves, from three regions; its probers have a point for each step. */
function largeEdge(leaves: number): EdgeCall {
  const probes = Array.from({ length: leaves }, (_, n) => ({ id: `east/shop/large/leaf-${n}`, leaf: `leaf-${n}` }));
  const probersOf = async (): Promise<RecordProber[]> =>
    (["weur", "enam", "apac"] as const).flatMap((region) =>
      Array.from({ length: Math.ceil(leaves / 30) }, (_, n) => ({
        shard: { region, partition: 0, intervalMs: 30_000, n },
        probes: probes.slice(30 * n, 30 * n + 30),
      })),
    );
  const history = async ({ span, stepMs, probes }: HistoryQuestion) =>
    probes.map((probe) => ({
      probe,
      points: Array.from({ length: SPANS[span].spanMs / stepMs }, (_, n) => {
        const means = { resolveMs: null, connectMs: 12.3, tlsMs: 45.6, firstByteMs: 78.9, totalMs: 100.1 };
        return { at: Date.now() - (n % 2) * stepMs, ok: 3, failed: 1, indeterminate: 0, ...means };
      }),
    }));
  const one = <Value>(stub: Value) => ({ getByName: () => stub });
  return { settings: { COORDINATOR: one({ probersOf }), PROBER: one({ history }) } };
}

it("stays bounded, however many leaves there are: coarser steps, then fewer probes, which it says", async () => {
  for (const span of ["6h", "7d", "90d"] as const) {
    for (const leaves of [1, 100, 1_000]) {
      const answer = await read(`/v1/records/large.example.com/history?span=${span}`, largeEdge(leaves));
      const points = answer.series.reduce((sum, one) => sum + one.points.length, 0);
      expect(answer.series.length).toBeLessThanOrEqual(MAX_SERIES);
      expect(points).toBeLessThanOrEqual(MAX_POINTS);
      expect(points).toBeGreaterThan(leaves === 1 ? 1_000 : MAX_POINTS / 2 - MAX_SERIES);
      expect(answer.leftOut).toBe(leaves === 1_000 ? 1_000 - Math.floor(MAX_SERIES / 3) : undefined);
      expect(answer.stepMs % SPANS[span].stepMs).toBe(0);
      expect(answer.availability).toBe(0.75);
      expect(JSON.stringify(answer).length).toBeLessThan(3_500_000);
    }
  }
});
