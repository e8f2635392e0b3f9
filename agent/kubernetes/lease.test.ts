import { describe, expect, test } from "vitest";
import {
  acquiredLease,
  type Candidate,
  holderIdentity,
  microTime,
  observe,
  releasedLease,
  remainingMs,
} from "./lease.ts";

const candidate: Candidate = {
  name: "leader",
  namespace: "vedette",
  identity: "a",
  annotations: { "vedette.dev/forward-to": "10.0.0.1" },
  leaseMs: 10_000,
};
const first = acquiredLease(candidate, undefined, 0);
const others = { ...first, metadata: { ...first.metadata, resourceVersion: "7" } };

describe("taking", () => {
  test("a Lease that is not there yet", () => {
    expect(first).toMatchObject({
      metadata: { name: "leader", namespace: "vedette", annotations: { "vedette.dev/forward-to": "10.0.0.1" } },
      spec: { holderIdentity: "a", leaseDurationSeconds: 10, leaseTransitions: 0 },
    });
    expect(first.spec).toMatchObject({ acquireTime: microTime(0), renewTime: "1970-01-01T00:00:00.000000Z" });
  });

  test("again keeps when it was first taken", () => {
    expect(acquiredLease(candidate, others, 5_000).spec).toMatchObject({
      acquireTime: microTime(0),
      renewTime: microTime(5_000),
      leaseTransitions: 0,
    });
  });

  test("another's counts a transition, keeps what is foreign, and is guarded by the version", () => {
    const foreign = { ...others, metadata: { ...others.metadata, annotations: { mine: "stays" } } };
    const taken = acquiredLease({ ...candidate, identity: "b" }, foreign, 5_000);
    expect(taken.spec).toMatchObject({ acquireTime: microTime(5_000), leaseTransitions: 1 });
    expect(taken.metadata).toMatchObject({ resourceVersion: "7", annotations: { mine: "stays" } });
  });
});

describe("how long another's holds", () => {
  test("from when it was first seen as it is, not from when it was seen last", () => {
    const seen = observe(observe(undefined, others, 1_000), { ...others, metadata: { name: "leader" } }, 4_000);
    expect(seen.at).toBe(1_000);
    expect(remainingMs(seen, 10_000, 4_000)).toBe(7_000);
    expect(observe(seen, acquiredLease(candidate, others, 3_000), 4_000).at).toBe(4_000);
  });

  test.each([
    ["the holder's own duration where that is longer", { leaseDurationSeconds: 30 }, 30_000],
    ["ours where it says none", {}, 10_000],
    ["not at all once given back", { holderIdentity: "" }, 0],
  ])("%s", (_, spec, expected) => {
    const lease = { ...others, spec: { holderIdentity: "a", ...spec } };
    expect(remainingMs({ lease, at: 0 }, 10_000, 0)).toBe(expected);
  });

  test("a clock that is wrong at the holder's changes nothing", () => {
    const future = acquiredLease(candidate, undefined, Date.UTC(2099, 0));
    expect(remainingMs({ lease: future, at: 0 }, 10_000, 10_000)).toBe(0);
  });
});

test("giving back leaves it to whoever comes", () => {
  expect(holderIdentity(releasedLease(others, 0))).toBeUndefined();
});
