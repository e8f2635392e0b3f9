import { describe, expect, it } from "vitest";
import { unwatchedWarnings } from "./conditions.ts";

const condition = (type: string, status: "True" | "False" | "Unknown", message = "why") => ({
  type,
  status,
  reason: "Because",
  message,
  lastTransitionTime: "2026-01-01T00:00:00.000Z",
});

describe("troubles of a record", () => {
  it("are told of whatever keeps a leaf from being watched", () => {
    const conditions = [
      condition("HeadersReady", "False", "Secret shop/probe does not exist"),
      condition("NotProbeable", "True", "10.0.0.1 is private"),
    ];
    expect(unwatchedWarnings({ "shop/api": { status: { conditions } } })).toEqual([
      "shop/api is published without being watched as asked (HeadersReady, Because): Secret shop/probe does not exist",
      "shop/api is published without being watched as asked (NotProbeable, Because): 10.0.0.1 is private",
    ]);
  });

  it("are not what is in order, nor what is told elsewhere", () => {
    const conditions = [
      condition("Accepted", "True"),
      condition("Healthy", "False"),
      condition("EdgeReachable", "False"),
      condition("HeadersReady", "True"),
      condition("Conflict", "False"),
    ];
    expect(unwatchedWarnings({ "shop/api": { status: { conditions } } })).toEqual([]);
  });
});
