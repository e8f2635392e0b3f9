import { describe, expect, it } from "vitest";
import { probeOf } from "../../../test/support/prober.ts";
import { readSettings } from "../../settings.ts";
import { Mutex } from "../dial/mutex.ts";
import { CachingResolver } from "../resolve/caching-resolver.ts";
import { checkNow } from "./on-demand-check.ts";

const settings = readSettings({ ALLOW_PRIVATE_ADDRESSES: "true" });
const names = new CachingResolver(() => Promise.reject(new Error("the resolver broke")), new Mutex());
const parts = { settings, userAgent: "test", names };

describe("a check outside any round", () => {
  it("that gets no slot says that it was not made, which is no word on the target", async () => {
    const observation = await checkNow(probeOf("a", 80), { ...parts, ask: () => Promise.resolve(undefined) });
    expect(observation).toMatchObject({ reason: "ProberUnreachable", phases: { totalMs: 0 } });
    expect(observation.message).toContain("Try again.");
  });

  it("that fails within is the prober's trouble", async () => {
    const probe = probeOf("a", 80);
    const named = { ...probe, target: { ...probe.target, leaf: "one.test" } };
    const observation = await checkNow(named, { ...parts, ask: () => Promise.resolve(undefined) });
    expect(observation).toMatchObject({ reason: "InternalError" });
  });
});
