import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentMetrics } from "../../agent/metrics/metrics.ts";
import { FAMILIES, type Family } from "../../workers/api/metrics/families.ts";
import { alerts, panels, readDashboard, usesIn } from "./expressions.ts";
import { checkExpressions, HAS_PROMTOOL, MONITORING, promtool } from "./promtool.ts";

const edge = new Map<string, Family>(Object.values(FAMILIES).map((family) => [family.name, family]));

/** The agent's metrics; those of a histogram have three names. */
async function agentNames(): Promise<Set<string>> {
  const { text } = await new AgentMetrics({ contact: () => ({ ageMs: 1, isSilent: false }) }).scrape();
  return new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
      type === "histogram" ? ["_bucket", "_sum", "_count"].map((suffix) => name + suffix) : [name],
    ),
  );
}

const everything = [...alerts(), ...panels()];

describe("what alerts and dashboard ask for", () => {
  it.each(everything)("$of: exists, with these labels", async ({ expr }) => {
    const uses = usesIn(expr);
    expect(uses).not.toEqual([]);
    const ofAgent = await agentNames();
    for (const { metric, labels } of uses) {
      const family = edge.get(metric);
      if (family === undefined) expect(ofAgent).toContain(metric);
      else expect(family.labels).toEqual(expect.arrayContaining(labels.map(({ name }) => name)));
    }
  });

  it("is written in words that the metrics have", () => {
    const words = {
      state: "critical degraded warning pending unknown not_probed healthy published withheld",
      kind: "record",
    };
    const exact = everything.flatMap(({ expr }) => usesIn(expr)).filter(({ metric }) => edge.has(metric));
    const asked = exact.flatMap(({ labels }) => labels.filter(({ isExact }) => isExact));
    for (const { name, value } of asked) expect(words).toHaveProperty(name, expect.stringContaining(value));
  });

  it("is found by the names that descriptions give", async () => {
    const text = readFileSync(join(MONITORING, "alerts.yaml"), "utf8");
    const named = new Set(text.match(/\bvedette_\w+/g));
    const known = new Set([...edge.keys(), ...(await agentNames())]);
    expect([...named.difference(known)]).toEqual([]);
  });
});

describe("the alert rules", () => {
  it("are each held to a test", () => {
    const tests = readFileSync(join(MONITORING, "alerts.test.yaml"), "utf8");
    for (const { of } of alerts()) expect(tests).toContain(of);
  });

  it.skipIf(!HAS_PROMTOOL)("are accepted by promtool, and fire when they should", () => {
    expect(promtool(["check", "rules", "alerts.yaml"])).toEqual({ ok: true, said: expect.stringContaining("SUCCESS") });
    expect(promtool(["test", "rules", "alerts.test.yaml"])).toEqual({
      ok: true,
      said: expect.stringContaining("SUCCESS"),
    });
  });
});

describe("the dashboard", () => {
  it("names each panel, once", () => {
    const { panels: shown } = readDashboard();
    expect(new Set(shown.map(({ id }) => id)).size).toBe(shown.length);
    for (const { title } of shown) expect(title).not.toBe("");
  });

  it.skipIf(!HAS_PROMTOOL)("asks in PromQL that promtool can read", () => {
    const asked = panels().map(({ expr }) => expr);
    expect(checkExpressions(asked)).toEqual({ ok: true, said: expect.stringContaining(`${asked.length} rules found`) });
    expect(checkExpressions(["sum by (region) vedette_edge_probe_success)"]).ok).toBe(false);
  });
});
