import type { Endpoint } from "../model/endpoint.ts";

/** What makes a record set one: name, type and set identifier, readable. */
export function endpointKey(endpoint: Endpoint): string {
  const set = endpoint.setIdentifier ? ` ${endpoint.setIdentifier}` : "";
  return `${endpoint.dnsName} ${endpoint.recordType}${set}`;
}

/** Endpoints in the order of their keys, with each endpoint's targets sorted and unique. The input stays as it is. */
export function inOrder(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints
    .map((endpoint) => ({ ...endpoint, targets: [...new Set(endpoint.targets)].sort() }))
    .sort((a, b) => (endpointKey(a) < endpointKey(b) ? -1 : 1));
}
