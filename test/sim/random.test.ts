import { expect, it } from "vitest";
import { pick, random } from "../support/random.ts";
import { brokenBy, healed } from "./invariants.ts";
import { after, eventsOf, newWorld, type Setup } from "./world.ts";

const SEEDS = 60;
const STEPS = 150;

/** A world of up to 4 leaves and 4 regions, with any policy. */
function setupOf(next: () => number): Setup {
  const regions = 1 + Math.floor(next() * 4);
  return {
    leaves: 1 + Math.floor(next() * 4),
    regions,
    quorum: 1 + Math.floor(next() * regions),
    failureThreshold: Math.floor(next() * 3),
    successThreshold: 1 + Math.floor(next() * 2),
    whenSilent: pick(["Publish", "Freeze"], next),
    minPublished: 1 + Math.floor(next() * 3),
    events: ["check", "silence", "restart", "edit", "quorum"],
  };
}

it(`no step of ${SEEDS} random worlds breaks a rule, and all of them recover`, () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const next = random(seed);
    const setup = setupOf(next);
    const events = eventsOf(setup);
    let world = newWorld(setup);
    for (let step = 0; step < STEPS; step += 1) {
      const event = pick(events, next);
      const now = after(world, event, setup);
      const rule = brokenBy(world, event, now, setup);
      expect(rule, `seed ${seed}, step ${step}: ${JSON.stringify(event)}`).toBeUndefined();
      world = now;
    }
    const alive = Array.from({ length: setup.regions }, (_, region) => region);
    const live = setup.whenSilent === "Freeze" ? alive : alive.slice(Math.floor(next() * setup.regions));
    expect(healed(world, live, setup), `seed ${seed}: all live regions agree`).toBe(true);
  }
}, 60_000);
