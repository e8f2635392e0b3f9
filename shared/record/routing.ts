import type { Endpoint } from "../model/endpoint.ts";

/** How a record set shares its name with others. A set without a `setIdentifier` is plain, whatever else it says. */
export type Routing =
  | { kind: "Plain" }
  | { kind: "Weighted"; weight: number }
  | { kind: "Geo"; code: string; isDefault: boolean }
  /** A set that only its identifier distinguishes. */
  | { kind: "Set" }
  | { kind: "Invalid"; rule: string };

const WEIGHT = /^(aws\/)?weight$/;
const GEO = /^(geo-code|aws\/geolocation-.+)$/;
const DEFAULT_GEO = "*";

/** Reads the routing from `providerSpecific`, by the names that external-dns and Kuadrant use. */
export function routingOf(endpoint: Endpoint): Routing {
  if (!endpoint.setIdentifier) return { kind: "Plain" };
  const properties = endpoint.providerSpecific ?? [];
  const weight = properties.find(({ name }) => WEIGHT.test(name))?.value;
  const code = properties.find(({ name }) => GEO.test(name))?.value;
  if (weight !== undefined && code !== undefined)
    return { kind: "Invalid", rule: "must not be weighted and geo at once" };
  if (code !== undefined) return { kind: "Geo", code, isDefault: code === DEFAULT_GEO };
  if (weight === undefined) return { kind: "Set" };
  if (!/^\d{1,9}$/.test(weight))
    return { kind: "Invalid", rule: `has the weight ${JSON.stringify(weight)}: must be a whole number from 0` };
  return { kind: "Weighted", weight: Number(weight) };
}
