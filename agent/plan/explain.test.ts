import { describe, expect, it } from "vitest";
import { delivered } from "../../test/support/agent/delivered.ts";
import { explain, formatPublished } from "./explain.ts";
import type { HostChange } from "./plan-hosts.ts";

const [one, two] = ["192.0.2.1", "192.0.2.2"];
const endpoints = (...targets: string[]) => delivered("x.test", targets).endpoints;
const line = (change: Omit<HostChange, "rootHost">, decision = delivered("x.test", [one], { unhealthy: [two] })) =>
  formatPublished(explain({ rootHost: "x.test", ...change }, decision, 0));

describe("a change that reached DNS is told in one line:", () => {
  it.each<[string, Omit<HostChange, "rootHost">, string]>([
    [
      "a leaf withdrawn",
      { before: endpoints(one, two), after: endpoints(one), basis: "Decision" },
      `x.test: -${two} (${two} UnhealthyWithheld: weur ConnectFailed); now ${one}`,
    ],
    [
      "a leaf back",
      { before: endpoints(two), after: endpoints(one, two), basis: "Decision" },
      `x.test: +${one} (${one} Healthy); now ${one}, ${two}`,
    ],
    [
      "a leaf taken out of the records",
      { before: endpoints(one, "192.0.2.9"), after: endpoints(one), basis: "Decision" },
      `x.test: -192.0.2.9 (192.0.2.9 left the records); now ${one}`,
    ],
    [
      "silence",
      { before: endpoints(one), after: endpoints(one, two), basis: "Fallback" },
      `x.test: +${two} (the edge is silent, and all is published); now ${one}, ${two}`,
    ],
    [
      "a frozen change",
      { before: endpoints(one, two), after: endpoints(one), basis: "Frozen" },
      `x.test: -${two} (the edge is silent, and its last decision holds); now ${one}`,
    ],
    [
      "an edit before the edge has spoken",
      { before: endpoints(one, two), after: endpoints(one), basis: "Held" },
      `x.test: -${two} (the records changed); now ${one}`,
    ],
    [
      "a host removed",
      { before: endpoints(one), after: undefined, basis: "Removed" },
      `x.test: -${one} (no record names this host any more); now nothing`,
    ],
    [
      "a host of which nothing is proven",
      { before: undefined, after: [], basis: "Decision" },
      "x.test: nothing is published until a leaf is proven healthy",
    ],
    [
      "another TTL",
      { before: endpoints(one), after: endpoints(one).map((set) => ({ ...set, recordTTL: 5 })), basis: "Decision" },
      `x.test: same targets (the edge decided it); now ${one}`,
    ],
  ])("%s", (_, change, expected) => {
    expect(line(change)).toBe(expected);
  });
});
