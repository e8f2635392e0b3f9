import { describe, expect, it } from "vitest";
import { EMPTY_STATE } from "../../test/support/agent/core.ts";
import { NOW } from "../../test/support/agent/kube-objects.ts";
import { apiError } from "../../test/support/fake-api.ts";
import type { KubeClient } from "../kubernetes/client.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { contactOf } from "../status/lease-object.ts";
import { ContactLease } from "./contact-lease.ts";

/** An API server that holds one Lease, and an agent that hears of the edge at a time which the test moves. */
function startLease() {
  const world = { held: undefined as KubeObject | undefined, writes: 0, heardAt: undefined as number | undefined };
  const client: Pick<KubeClient, "apply" | "get"> = {
    get: async () => world.held,
    apply: async (_, object) => {
      const { resourceVersion } = object.metadata;
      if (resourceVersion !== undefined && resourceVersion !== world.held?.metadata.resourceVersion)
        throw apiError(409, "Conflict");
      world.writes += 1;
      world.held = structuredClone(object);
      world.held.metadata.resourceVersion = `${world.writes}`;
      return world.held;
    },
  };
  const lead = () =>
    new ContactLease({ client, namespace: "system", heardAt: () => world.heardAt, onWritten: () => {} });
  return { world, lead };
}

const state = { ...EMPTY_STATE, number: { epoch: 1, n: 5 }, sentAt: NOW };

describe("the contact Lease", () => {
  it("is written once for what it says, and for contact alone once a minute", async () => {
    const { world, lead } = startLease();
    const lease = lead();
    for (const seconds of [0, 10, 59, 60, 70]) {
      world.heardAt = NOW + seconds * 1_000;
      await lease.write(state);
    }
    expect(world.writes).toBe(2);
  });

  it("keeps the number and the last contact of the leader before, until there is more to say", async () => {
    const { world, lead } = startLease();
    world.heardAt = NOW;
    await lead().write(state);
    world.heardAt = undefined;
    const next = lead();
    await next.write({ ...state, number: { epoch: 1, n: 4 } });
    expect(world.writes).toBe(1);
    await next.write({ ...state, number: { epoch: 1, n: 4 }, silent: true });
    expect(contactOf(world.held)).toMatchObject({ number: { epoch: 1, n: 5 }, heardAt: NOW, silent: true });
  });

  it("is not put back by one who led before, and whose write was held up", async () => {
    const { world, lead } = startLease();
    const [former, next] = [lead(), lead()];
    await former.write(state);
    await next.write({ ...state, number: { epoch: 1, n: 7 } });
    await expect(former.write({ ...state, number: { epoch: 1, n: 6 } })).rejects.toMatchObject({ code: 409 });
    expect(contactOf(world.held).number).toEqual({ epoch: 1, n: 7 });
    await former.write({ ...state, number: { epoch: 1, n: 8 } });
    expect(contactOf(world.held).number).toEqual({ epoch: 1, n: 8 });
  });
});
