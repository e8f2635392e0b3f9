import { describe, expect, it } from "vitest";
import { Exposition, seconds } from "./exposition.ts";
import { FAMILIES } from "./families.ts";

describe("the text", () => {
  it("has each metric's samples together, in the order of the list, under its help and type", () => {
    const to = new Exposition();
    to.add("regionProbes", { region: "weur" }, 3);
    to.add("buildInfo", { version: "1.2.3" }, 1);
    to.add("regionProbes", { region: "oc" }, 0);
    expect(to.text()).toBe(
      [
        "# HELP vedette_edge_build_info 1, with the version that runs.",
        "# TYPE vedette_edge_build_info gauge",
        'vedette_edge_build_info{version="1.2.3"} 1',
        "# HELP vedette_edge_region_probes Probes that the region checks.",
        "# TYPE vedette_edge_region_probes gauge",
        'vedette_edge_region_probes{region="weur"} 3',
        'vedette_edge_region_probes{region="oc"} 0',
        "",
      ].join("\n"),
    );
  });

  it("leaves out what has no value, and a metric that has none", () => {
    const to = new Exposition();
    to.add("regionLate", { region: "weur" }, undefined);
    to.add("regionSuspect", { region: "weur" }, true);
    expect(to.text()).not.toContain("round_late");
    expect(to.text()).toContain('vedette_edge_region_suspect{region="weur"} 1\n');
  });

  it.each([
    ['a "quoted" one', 'a \\"quoted\\" one'],
    ["back\\slash", "back\\\\slash"],
    ["two\nlines", "two\\nlines"],
    ['end"} 1\nforged{x="', 'end\\"} 1\\nforged{x=\\"'],
    ["plain, {with} signs=1", "plain, {with} signs=1"],
  ])("keeps a label's value within its quotes: %j", (value, written) => {
    const to = new Exposition();
    to.add("clusterUp", { cluster: value }, 1);
    expect(to.text().split("\n")[2]).toBe(`vedette_edge_cluster_up{cluster="${written}"} 1`);
  });

  it.each([
    [1_500, 1.5],
    [0.3, 0.0003],
    [1_796_112_764_123, 1_796_112_764.123],
    [undefined, undefined],
  ])("tells %s ms as %s seconds", (ms, expected) => {
    expect(seconds(ms)).toBe(expected);
  });
});

describe("the names", () => {
  const families = Object.values(FAMILIES);

  it("are one metric each, and say their unit in the way of Prometheus", () => {
    const names = families.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      expect(name).toMatch(/^vedette_edge_[a-z_]+[a-z]$/);
      // There is no counter here, for the Worker remembers nothing between two scrapes.
      expect(name).not.toMatch(/_(total|ms|milliseconds|count|sum|bucket)$/);
    }
  });

  it("have a help text, and labels that Prometheus takes", () => {
    for (const { help, labels } of families) {
      expect(help).toMatch(/\.$/);
      for (const label of labels) expect(label).toMatch(/^[a-z]+$/);
    }
  });
});
