import { describe, expect, it } from "vitest";
import { AgentBase } from "./agent-base.ts";

const number = (n: number) => ({ epoch: 7, n });

describe("what has changed for an agent", () => {
  it("is not known before it has answered", () => {
    const base = new AgentBase(3);
    base.changed(4, ["a"]);
    expect(base.changes).toBeUndefined();
  });

  it("is what changed after the number it answered with, also where that was during the call", () => {
    const base = new AgentBase(3);
    base.changed(4, ["a", "b"]);
    base.changed(5, ["b"]);
    base.answered(number(4), true);
    expect(base.changes).toEqual({ since: number(4), rootHosts: ["b"] });
    base.changed(6, ["a"]);
    base.answered(number(5), true);
    expect(base.changes).toEqual({ since: number(5), rootHosts: ["a"] });
  });

  it("is not known where its number is older than what is remembered", () => {
    const base = new AgentBase(3);
    base.answered(number(2), true);
    expect(base.changes).toBeUndefined();
    base.changed(4, ["a"]);
    base.answered(number(4), true);
    base.answered(number(3), true);
    expect(base.changes).toBeUndefined();
  });

  it("is not asked for an agent that takes no changes, until it does", () => {
    const base = new AgentBase(3);
    base.answered(number(3), false);
    base.changed(4, ["a"]);
    expect(base.changes).toBeUndefined();
    base.answered(number(3), true);
    expect(base.changes).toEqual({ since: number(3), rootHosts: ["a"] });
  });
});
