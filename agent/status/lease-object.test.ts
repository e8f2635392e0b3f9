import { describe, expect, it } from "vitest";
import { EMPTY_STATE } from "../../test/support/agent/core.ts";
import { NOW } from "../../test/support/agent/kube-objects.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { contactOf, contactRef, type LeaseInput, leaseObject } from "./lease-object.ts";

const state = { ...EMPTY_STATE, number: { epoch: 1_700_000_000_000, n: 12 }, sentAt: NOW, serial: 4_294_967_295 };
const lease = (change: Partial<LeaseInput> = {}) =>
  leaseObject({ state, namespace: "system", heardAt: NOW, before: undefined, ...change }).object;
const renewTime = (object: KubeObject) => (object.spec as { renewTime?: string }).renewTime;

describe("the contact Lease", () => {
  it("is named after the cluster, and says what a new leader has to know", () => {
    expect(lease()).toMatchObject({
      apiVersion: "coordination.k8s.io/v1",
      metadata: {
        name: "vedette-here-edge",
        namespace: "system",
        annotations: {
          "vedette.dev/delivery-number": "1700000000000.12",
          "vedette.dev/delivery-sent-at": "2026-11-30T12:00:00.000Z",
          "vedette.dev/serial": "4294967295",
          "vedette.dev/silent": "false",
          "vedette.dev/edge": "https://edge.test",
        },
      },
      spec: { renewTime: "2026-11-30T12:00:00.000000Z" },
    });
    expect(contactRef("here", "system")).toEqual({ name: "vedette-here-edge", namespace: "system" });
  });

  it("is read back as it was written", () => {
    const { number, sentAt, serial } = state;
    expect(contactOf(lease())).toEqual({
      number,
      sentAt,
      serial,
      silent: false,
      edgeUrl: "https://edge.test",
      heardAt: NOW,
    });
    expect(contactOf(lease({ state: { ...state, silent: true }, heardAt: undefined }))).toMatchObject({
      silent: true,
      heardAt: undefined,
    });
  });

  it("moves for contact alone once a minute, and at once with what else it says", () => {
    const before = lease();
    expect(lease({ before, heardAt: NOW + 59_999 })).toEqual(before);
    expect(renewTime(lease({ before, heardAt: NOW + 60_000 }))).toBe("2026-11-30T12:01:00.000000Z");
    const newer = { ...state, number: { ...state.number, n: 13 } };
    expect(renewTime(lease({ before, heardAt: NOW + 1_000, state: newer }))).toBe("2026-11-30T12:00:01.000000Z");
  });

  it("never goes back to an older number of the same edge", () => {
    const older = { ...state, number: { ...state.number, n: 11 }, sentAt: NOW - 1_000 };
    expect(contactOf(lease({ before: lease(), state: older }))).toMatchObject({ number: state.number, sentAt: NOW });
    const elsewhere = { ...older, edge: { ...older.edge, url: "https://other.test" } };
    expect(contactOf(lease({ before: lease(), state: elsewhere })).number.n).toBe(11);
  });

  it("keeps the time of the last contact while there is none, and never goes back", () => {
    const before = lease();
    const silent = { ...state, silent: true };
    expect(renewTime(lease({ before, heardAt: undefined, state: silent }))).toBe("2026-11-30T12:00:00.000000Z");
    expect(renewTime(lease({ before, heardAt: NOW - 9_000, state: silent }))).toBe("2026-11-30T12:00:00.000000Z");
    expect(lease({ heardAt: undefined }).spec).toEqual({});
  });
});
