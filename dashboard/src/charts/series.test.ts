import { expect, test } from "vitest";
import type { HistoryPoint, ProbeHistory, RecordHistory } from "../../../shared/model/history.ts";
import { chartOf, leavesIn, phasesIn } from "./series.ts";

const point = (at: number, ok: number, failed: number, totalMs: number | null): HistoryPoint => ({
  at,
  ok,
  failed,
  indeterminate: 0,
  resolveMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
  totalMs,
});
const series = (leaf: string, region: ProbeHistory["region"], ...points: HistoryPoint[]): ProbeHistory => ({
  probe: `c/n/r/${leaf}`,
  leaf,
  region,
  points,
});
const history = (...all: ProbeHistory[]): RecordHistory => ({
  rootHost: "a.test",
  span: "6h",
  stepMs: 60_000,
  from: 120_500,
  to: 360_000,
  series: all,
  availability: 1,
  missing: [],
});

test("every step of the span has its place, empty where nothing was checked", () => {
  const chart = chartOf(
    history(series("a", "weur", point(120_000, 4, 0, 10), point(240_000, 1, 3, 30)), series("b", "weur")),
    "a",
    "total",
  );
  expect(chart.timesS).toEqual([120, 180, 240, 300]);
  expect(chart.lines.map(({ region }) => region)).toEqual(["weur"]);
  expect(chart.lines[0]).toMatchObject({ latencyMs: [10, null, 30, null], failed: [0, null, 0.75, null] });
  expect(chart.lines[0]?.facts).toEqual({
    ok: 5,
    failed: 3,
    indeterminate: 0,
    availability: 0.625,
    lowestMs: 10,
    meanMs: 20,
    highestMs: 30,
    latestMs: 30,
  });
});

test("regions come by name; two probes of one leaf are weighted by their checks", () => {
  const chart = chartOf(
    history(
      series("a", "weur", point(120_000, 3, 0, 10)),
      series("a", "enam", point(120_000, 0, 2, null)),
      series("a", "weur", point(120_000, 1, 0, 50), point(999_000, 1, 0, 1)),
    ),
    "a",
    "total",
  );
  expect(chart.lines.map(({ region }) => region)).toEqual(["enam", "weur"]);
  expect(chart.lines[1]?.latencyMs[0]).toBe(20);
  expect(chart.lines[0]?.facts).toMatchObject({ availability: 0, meanMs: null, lowestMs: null, latestMs: null });
});

test("only what was measured can be chosen", () => {
  const all = history(series("b", "weur", { ...point(120_000, 1, 0, 5), connectMs: 2 }), series("a", "weur"));
  expect(phasesIn(all.series)).toEqual(["total", "connect"]);
  expect(leavesIn(all)).toEqual(["a", "b"]);
  expect(chartOf(history(), "a", "total").lines).toEqual([]);
});
