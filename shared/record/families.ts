import type { Endpoint, RecordType } from "../model/endpoint.ts";
import { leastBadFirst } from "./leaf-health.ts";
import { type EndpointsByName, reachableFrom } from "./names.ts";
import { adding, type Choice, type RootView } from "./view.ts";

/**
 * Step 4, addresses behind a CNAME. A name that stays keeps its least bad address of each family that it had. A client of the
 * other family is sent there all the same. At the root itself both families are judged together.
 */
export function keepFamilies(view: RootView, root: string, byName: EndpointsByName, choice: Choice): Choice {
  const inner = [...reachableFrom(root, byName)].filter((name) => name !== root).sort();
  let current = choice;
  for (let size = -1; size !== current.size; ) {
    size = current.size;
    for (const name of inner) current = keepFamiliesOf(byName.get(name) ?? [], view, current);
  }
  return current;
}

function keepFamiliesOf(endpoints: readonly Endpoint[], view: RootView, choice: Choice): Choice {
  const families = (["A", "AAAA"] as const).map((type) => addresses(endpoints, type));
  const isLive = (family: readonly string[]) => family.some((address) => choice.has(address));
  if (!families.some(isLive)) return choice;
  const lost = families.filter((family) => !isLive(family));
  const kept = lost.flatMap((family) => {
    const had = family.filter((address) => view.wasPublished.has(address));
    return leastBadFirst(had, view.health).slice(0, 1);
  });
  return kept.length === 0 ? choice : adding(choice, kept, "KeptForFamily");
}

function addresses(endpoints: readonly Endpoint[], type: RecordType): string[] {
  return endpoints.filter(({ recordType }) => recordType === type).flatMap(({ targets }) => targets);
}
