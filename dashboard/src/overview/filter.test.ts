import { describe, expect, it } from "vitest";
import type { RecordState, RecordSummary } from "../../../shared/model/overview.ts";
import { countStates, filterOf, filterRecords, queryOf } from "./filter.ts";

const record = (rootHost: string, state: RecordState, says: "Healthy" | "Unhealthy" = "Healthy"): RecordSummary => ({
  rootHost,
  state,
  clusters: ["east"],
  leaves: [{ leaf: "198.51.100.10", published: true, reason: "Healthy" }],
  regions: [{ region: "weur", says, unhealthy: 0, probes: 1 }],
  decidedAt: 1,
});
const all = [
  record("b.example.com", "Healthy"),
  record("a.example.com", "Healthy"),
  record("c.test", "Critical", "Unhealthy"),
];

describe("the filter", () => {
  it.each([
    ["", [], ["c.test", "a.example.com", "b.example.com"]],
    ["EXAMPLE", [], ["a.example.com", "b.example.com"]],
    ["example b.", [], ["b.example.com"]],
    ["51.100", [], ["c.test", "a.example.com", "b.example.com"]],
    ["east", ["Critical"], ["c.test"]],
    ["weur", [], ["c.test"]],
    ["", ["Healthy", "Critical"], ["c.test", "a.example.com", "b.example.com"]],
    ["nowhere", [], []],
  ] as [string, RecordState[], string[]][])("%j of states %j finds %j, the worst first", (text, states, hosts) => {
    const found = filterRecords(all, { text, states: new Set(states) });
    expect(found.map(({ rootHost }) => rootHost)).toEqual(hosts);
  });

  it("stands in the address of the page", () => {
    const filter = { text: "a b", states: new Set<RecordState>(["Healthy", "Critical"]) };
    expect(queryOf(filter)).toBe("?q=a+b&state=Critical%2CHealthy");
    expect(filterOf(queryOf(filter))).toEqual(filter);
    expect(queryOf({ text: "", states: new Set() })).toBe("");
    expect(filterOf("?state=Nonsense&x=1")).toEqual({ text: "", states: new Set() });
  });

  it("counts the states that there are, the worst first", () => {
    expect(countStates(all)).toEqual([
      ["Critical", 1],
      ["Healthy", 2],
    ]);
  });
});
