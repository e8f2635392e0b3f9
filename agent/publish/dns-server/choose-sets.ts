import type { Endpoint } from "../../../shared/model/endpoint.ts";
import { routingOf } from "../../../shared/record/routing.ts";

/**
 * Which of the sets of one name and type an answer comes from. Weighted sets: one, by its weight; weight 0 only where
 * no other is left. Geographic sets: the default one (`*`), else the first by setIdentifier, since this server does not
 * know where a client is. Sets that are told apart by their identifier alone answer together.
 *
 * @param random from 0 (included) to 1 (excluded)
 */
export function chooseSets(sets: readonly Endpoint[], random: number): readonly Endpoint[] {
  if (sets.length < 2) return sets;
  const routings = sets.map(routingOf);
  if (routings.some(({ kind }) => kind === "Geo")) return [defaultSet(sets)];
  const weights = routings.map((routing) => (routing.kind === "Weighted" ? routing.weight : 0));
  return routings.some(({ kind }) => kind === "Weighted") ? [byWeight(sets, weights, random)] : sets;
}

function defaultSet(sets: readonly Endpoint[]): Endpoint {
  const isDefault = (set: Endpoint) => {
    const routing = routingOf(set);
    return routing.kind === "Geo" && routing.isDefault;
  };
  return sets.find(isDefault) ?? sets.reduce((first, set) => (identifier(set) < identifier(first) ? set : first));
}

function byWeight(sets: readonly Endpoint[], weights: readonly number[], random: number): Endpoint {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = total > 0 ? weights : weights.map(() => 1);
  let rest = random * (total || sets.length);
  const index = shares.findIndex((share) => {
    rest -= share;
    return rest < 0;
  });
  return sets[index] ?? sets.reduce((_, last) => last);
}

const identifier = (set: Endpoint) => set.setIdentifier ?? "";
