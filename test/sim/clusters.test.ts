import { expect, it } from "vitest";
import type { Endpoint } from "../../shared/model/endpoint.ts";
import type { Verdict } from "../../shared/model/status.ts";
import { decide } from "../../shared/record/decide.ts";
import { mergeShares } from "../../shared/record/merge.ts";
import { pick, random } from "../support/random.ts";
import { health, plain } from "../support/rules.ts";

const RUNS = 200;
const X = "203.0.113.1";
const Y = "203.0.113.2";

/*
 * Clusters X and Y have one address each at one host. Both become unhealthy in the same second. Verdicts, decisions
 * and deliveries arrive in any order, and are lost, doubled and overtaken. Each agent applies a delivery only if its
 * number is higher than its own.
 */
it(`${RUNS} random interleavings of two clusters whose last endpoints fail at once: DNS never has zero targets`, () => {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const next = random(seed);
    const { endpoints } = mergeShares(
      [X, Y].map((address) => ({
        endpoints: [plain("x.test", "A", address)],
        minPublished: 1,
        whenSilent: "Publish" as const,
      })),
    );
    const verdicts: Record<string, Verdict> = { [X]: "Healthy", [Y]: "Healthy" };
    let decided = { n: 1, endpoints };
    const sent = [decided];
    const zones: Record<string, { n: number; endpoints: readonly Endpoint[] }> = { X: decided, Y: decided };
    const steps: (() => void)[] = [
      () => {
        verdicts[X] = pick(["Healthy", "Unhealthy"], next);
      },
      () => {
        verdicts[Y] = pick(["Healthy", "Unhealthy"], next);
      },
      () => {
        const wasPublished = decided.endpoints;
        decided = {
          n: decided.n + 1,
          ...decide({ endpoints, minPublished: 1, leaves: health(verdicts), wasPublished }),
        };
        sent.push(decided);
      },
      () => {
        const delivery = pick(sent, next);
        const zone = pick(["X", "Y"], next);
        if (delivery.n > zones[zone]!.n) zones[zone] = delivery;
      },
    ];
    Object.assign(verdicts, { [X]: "Unhealthy", [Y]: "Unhealthy" });
    for (let step = 0; step < 40; step += 1) {
      pick(steps, next)();
      for (const [name, zone] of Object.entries(zones)) {
        const targets = zone.endpoints.flatMap((endpoint) => endpoint.targets);
        expect(targets.length, `seed ${seed}, step ${step}, zone of ${name}`).toBeGreaterThan(0);
      }
    }
  }
}, 60_000);

it("both recover: both are back, in whatever order they fell", () => {
  const record = [plain("x.test", "A", X, Y)];
  for (const order of [
    [X, Y],
    [Y, X],
  ] as const) {
    let was: Endpoint[] = record;
    const verdicts: Record<string, Verdict> = { [X]: "Healthy", [Y]: "Healthy" };
    for (const leaf of order) {
      verdicts[leaf] = "Unhealthy";
      was = decide({ endpoints: record, minPublished: 1, leaves: health(verdicts), wasPublished: was }).endpoints;
    }
    expect(was).toEqual([plain("x.test", "A", order[1])]);
    const leaves = health({ [X]: "Healthy", [Y]: "Healthy" });
    expect(decide({ endpoints: record, minPublished: 1, leaves, wasPublished: was }).endpoints).toEqual(record);
  }
});
