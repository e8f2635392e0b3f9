import type { Endpoint } from "../model/endpoint.ts";
import type { FieldError } from "../model/problem.ts";
import { endpointKey } from "./key.ts";
import { type EndpointsByName, ownersIn } from "./names.ts";
import { routingOf } from "./routing.ts";

/** What keeps endpoints from being a record, each fault by the field of the endpoint that has it. */
export function treeFaults(endpoints: readonly Endpoint[], byName: EndpointsByName): FieldError[] {
  if (endpoints.length === 0) return [{ field: "endpoints", rule: "must hold at least one endpoint" }];
  return [
    ...keyFaults(endpoints),
    ...cnameFaults(endpoints, byName),
    ...routingFaults(endpoints, byName),
    ...cycleFaults(endpoints, byName),
  ];
}

function keyFaults(endpoints: readonly Endpoint[]): FieldError[] {
  const firstByKey = new Map<string, number>();
  return endpoints.flatMap((endpoint, index) => {
    const key = endpointKey(endpoint);
    const first = firstByKey.get(key);
    if (first === undefined) {
      firstByKey.set(key, index);
      return [];
    }
    const rule = `must differ from endpoints[${first}] in dnsName, recordType or setIdentifier`;
    return [{ field: `endpoints[${index}]`, value: JSON.stringify(key), rule }];
  });
}

function cnameFaults(endpoints: readonly Endpoint[], byName: EndpointsByName): FieldError[] {
  return endpoints.flatMap((endpoint, index) => {
    if (endpoint.recordType !== "CNAME") return [];
    const faults: FieldError[] = [];
    const other = byName.get(endpoint.dnsName)?.find(({ recordType }) => recordType !== "CNAME");
    if (other !== undefined) {
      const rule = `must be the only type at ${endpoint.dnsName}, which has ${other.recordType} too (RFC 1034 §3.6.2)`;
      faults.push({ field: `endpoints[${index}].recordType`, value: '"CNAME"', rule });
    }
    return faults;
  });
}

function routingFaults(endpoints: readonly Endpoint[], byName: EndpointsByName): FieldError[] {
  return endpoints.flatMap((endpoint, index) => {
    const routing = routingOf(endpoint);
    if (routing.kind === "Invalid") return [{ field: `endpoints[${index}].providerSpecific`, rule: routing.rule }];
    const first = byName.get(endpoint.dnsName)?.[0];
    if (first === undefined || routingOf(first).kind === routing.kind) return [];
    const rule = `must be routed like the other endpoints of ${endpoint.dnsName}: all plain, all weighted or all geo`;
    return [{ field: `endpoints[${index}]`, value: JSON.stringify(endpointKey(endpoint)), rule }];
  });
}

/** One fault for each CNAME that closes a cycle, with the way round it. */
function cycleFaults(endpoints: readonly Endpoint[], byName: EndpointsByName): FieldError[] {
  const faults: FieldError[] = [];
  const finished = new Set<string>();
  const ownerOf = ownersIn(byName);
  const visit = (name: string, way: readonly string[]) => {
    const here = [...way, name];
    for (const endpoint of byName.get(name) ?? []) {
      if (endpoint.recordType !== "CNAME") continue;
      for (const target of endpoint.targets) {
        const next = ownerOf(target);
        if (next === undefined || finished.has(next)) continue;
        if (!here.includes(next)) visit(next, here);
        else faults.push(cycleFault(endpoints.indexOf(endpoint), [...here.slice(here.indexOf(next)), target]));
      }
    }
    finished.add(name);
  };
  for (const name of byName.keys()) if (!finished.has(name)) visit(name, []);
  return faults;
}

function cycleFault(index: number, way: readonly string[]): FieldError {
  return { field: `endpoints[${index}].targets`, rule: `must not close a cycle: ${way.join(" → ")}` };
}
