import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../kubernetes/object.ts";
import { ApiServerClock } from "./api-server-clock.ts";
import { FINALIZER, type FinalizerContext, isMember, phaseOf } from "./finalizer.ts";

const DELETED = "2026-03-01T12:00:00Z";
const MINUTE = 60_000;

const record = (metadata: Partial<KubeObject["metadata"]> = {}, status?: unknown): KubeObject => ({
  apiVersion: "vedette.dev/v1alpha1",
  kind: "DNSRecord",
  metadata: { name: "api", namespace: "shop", uid: "u1", finalizers: [FINALIZER], ...metadata },
  status,
});
const accepted = { conditions: [{ type: "Accepted", status: "True", reason: "Accepted", message: "" }] };
const deleted = (status: unknown = accepted) => record({ deletionTimestamp: DELETED }, status);

const around = (change: Partial<FinalizerContext> = {}): FinalizerContext => ({
  accepted: new Set(["shop/api"]),
  delivered: new Set(["shop/api"]),
  isEdgeReachable: true,
  wasAccepted: false,
  isInDns: false,
  apiNowMs: Date.parse(DELETED) + 1_000,
  deletionTimeoutMs: 5 * MINUTE,
  ...change,
});
const without = { accepted: new Set<string>(), delivered: new Set<string>() };

describe("where a record stands", () => {
  const cases: [string, KubeObject, Partial<FinalizerContext>, object][] = [
    ["is claimed without finalizer", record({ finalizers: ["other/one"] }), {}, { type: "Claim" }],
    ["is a member with it", record(), {}, { type: "Member" }],
    [
      "leaves, deleted, where only others hold it",
      record({ deletionTimestamp: DELETED, finalizers: ["other/one"] }),
      {},
      { type: "Leaving" },
    ],
    [
      "waits while the edge holds it",
      deleted(),
      {},
      { type: "Withdrawing", condition: { status: "False", reason: "Withdrawing" } },
    ],
    ["waits while the newest delivery names it", deleted(), { accepted: new Set() }, { type: "Withdrawing" }],
    ["waits while no snapshot without it was taken", deleted(), { delivered: new Set() }, { type: "Withdrawing" }],
    [
      "waits after a restart until both are known",
      deleted(),
      { accepted: undefined, delivered: new Set() },
      { type: "Withdrawing" },
    ],
    [
      "waits after a restart until a delivery came",
      deleted(),
      { accepted: new Set(), delivered: undefined },
      { type: "Withdrawing" },
    ],
    [
      "says so while the edge is away",
      deleted(),
      { isEdgeReachable: false },
      { condition: { reason: "EdgeUnreachable" } },
    ],
    [
      "says until when it waits",
      deleted(),
      {},
      { leftMs: 5 * MINUTE - 1_000, condition: { message: expect.stringContaining("2026-03-01T12:05:00.000Z") } },
    ],
    ["is released once the edge has forgotten it", deleted(), without, { type: "Release", reason: "Withdrawn" }],
    [
      "waits for DNS also then",
      deleted(),
      { ...without, isInDns: true },
      { type: "Withdrawing", condition: { reason: "InDNS" } },
    ],
    ["is released at once where the edge never took it", deleted({}), {}, { type: "Release", reason: "NeverAccepted" }],
    [
      "is released at once where the edge refused it from the first",
      deleted({ conditions: [{ type: "Accepted", status: "False" }] }),
      {},
      { type: "Release", reason: "NeverAccepted" },
    ],
    [
      "waits where an older form was taken",
      deleted({ conditions: [{ type: "Accepted", status: "False" }], lastAccepted: { spec: {} } }),
      {},
      { type: "Withdrawing" },
    ],
    ["waits where a decision is held", deleted({ decision: {} }), {}, { type: "Withdrawing" }],
    ["waits where this process pushed it", deleted({}), { wasAccepted: true }, { type: "Withdrawing" }],
    ["waits for DNS where the edge never took it", deleted({}), { isInDns: true }, { type: "Withdrawing" }],
    [
      "is released with any status that cannot be read",
      deleted("what"),
      {},
      { type: "Release", reason: "NeverAccepted" },
    ],
    [
      "is released in the end without the edge",
      deleted(),
      { apiNowMs: Date.parse(DELETED) + 5 * MINUTE },
      { type: "Release", reason: "ReleasedWithoutEdge" },
    ],
    [
      "is released in the end also from DNS",
      deleted(),
      { isInDns: true, apiNowMs: Date.parse(DELETED) + 5 * MINUTE },
      { type: "Release", reason: "ReleasedWithoutEdge" },
    ],
    [
      "waits all of the time where the API's time is behind",
      deleted(),
      { apiNowMs: Date.parse(DELETED) - 60 * MINUTE },
      { type: "Withdrawing", leftMs: 5 * MINUTE },
    ],
    [
      "waits all of the time where no time is known",
      deleted(),
      { apiNowMs: Number.NEGATIVE_INFINITY },
      { type: "Withdrawing", leftMs: 5 * MINUTE },
    ],
  ];
  test.each(cases)("%s", (_, object, change, phase) => {
    expect(phaseOf(object, around(change))).toMatchObject(phase);
  });

  test.each<[string, KubeObject, boolean, boolean]>([
    ["with our finalizer", record(), false, true],
    ["without it", record({ finalizers: [] }), false, false],
    ["without it, with another's", record({ finalizers: ["other/one"] }), false, false],
    ["without it, where this process knows that the edge took it", record({ finalizers: [] }), true, true],
    ["without it, where its status says that the edge took it", record({ finalizers: [] }, accepted), false, true],
    ["that is being deleted", deleted(), true, false],
  ])("a record %s takes part or not", (_, object, wasAccepted, takesPart) => {
    expect(isMember(object, wasAccepted)).toBe(takesPart);
  });

  test("never waits beyond the time, and releases no record that the edge may hold before it", () => {
    const keys = fc.option(
      fc.subarray(["shop/api", "shop/other"]).map((some) => new Set(some)),
      { nil: undefined },
    );
    const any = fc.record({
      accepted: keys,
      delivered: keys,
      isEdgeReachable: fc.boolean(),
      wasAccepted: fc.boolean(),
      isInDns: fc.boolean(),
      age: fc.integer({ min: -MINUTE, max: 10 * MINUTE }),
    });
    fc.assert(
      fc.property(any, fc.constantFrom(accepted, { decision: {} }, {}), ({ age, ...rest }, status) => {
        const phase = phaseOf(deleted(status), around({ ...rest, apiNowMs: Date.parse(DELETED) + age }));
        const isOver = age >= 5 * MINUTE;
        if (phase.type === "Withdrawing") return !isOver && phase.leftMs <= 5 * MINUTE;
        if (phase.type !== "Release") return false;
        const isHeld =
          rest.accepted === undefined ||
          rest.delivered === undefined ||
          rest.accepted.has("shop/api") ||
          rest.delivered.has("shop/api");
        const isKnown = status !== undefined && (rest.wasAccepted || "decision" in status || "conditions" in status);
        return isOver || (!rest.isInDns && !(isHeld && isKnown));
      }),
    );
  });
});

describe("the API server's time", () => {
  let elapsed = 0;
  const at = (text: string) => record({ managedFields: [{ manager: "x", time: text }] });

  test("is the newest that was seen, and goes on from there", () => {
    const clock = new ApiServerClock(() => elapsed);
    expect(clock.nowMs()).toBe(Number.NEGATIVE_INFINITY);
    clock.observe(at("2026-03-01T12:00:00Z"));
    elapsed += 5_000;
    clock.observe(at("2026-03-01T11:00:00Z"));
    expect(clock.nowMs()).toBe(Date.parse("2026-03-01T12:00:05Z"));
    clock.observe(record({ creationTimestamp: "2026-03-01T12:01:00Z" }));
    expect(clock.nowMs()).toBe(Date.parse("2026-03-01T12:01:00Z"));
  });

  test("is not known by what cannot be read", () => {
    const clock = new ApiServerClock(() => elapsed);
    clock.observe(record());
    clock.observe(at("yesterday"));
    expect(clock.nowMs()).toBe(Number.NEGATIVE_INFINITY);
  });
});
