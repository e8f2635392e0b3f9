import type { FieldError } from "./model/problem.ts";
import type { RecordSpec } from "./model/record.ts";

/**
 * What in a record reaches beyond the hosts that its cluster may name. `api.example.com` allows that root host and names
 * under it; `*.example.com` allows every root host under example.com, but not example.com itself.
 */
export function hostFaults(spec: Pick<RecordSpec, "rootHost" | "endpoints">, hosts: readonly string[]): FieldError[] {
  const rule = `is not among the hosts that the cluster may name (${hosts.join(", ")})`;
  if (!hosts.some((host) => allowsRoot(host, spec.rootHost))) {
    return [{ field: "spec.rootHost", value: spec.rootHost, rule }];
  }
  return spec.endpoints.flatMap(({ dnsName }, index) =>
    hosts.some((host) => allowsName(host, dnsName))
      ? []
      : [{ field: `spec.endpoints[${index}].dnsName`, value: dnsName, rule }],
  );
}

const isUnder = (name: string, host: string) => name.endsWith(`.${host}`);

/** Whether `host`, which may be `*.example.com` for all under example.com, is or covers a root host. */
export function allowsRoot(host: string, rootHost: string): boolean {
  return host.startsWith("*.") ? isUnder(rootHost, host.slice(2)) : rootHost === host;
}

function allowsName(host: string, dnsName: string): boolean {
  return host.startsWith("*.") ? isUnder(dnsName, host.slice(2)) : dnsName === host || isUnder(dnsName, host);
}
