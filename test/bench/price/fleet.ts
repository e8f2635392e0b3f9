import { stringify } from "yaml";
import { type Case, regionsOf } from "./cases.ts";
import { addressOf } from "./gateways.ts";

const PER_RECORD = 5;

/** Hosts that the records of a fleet are under. */
export const HOSTS = ["*.price.test"];

/** The records of a fleet, as an agent reads them: five endpoints each. */
export function recordsOf(one: Case, port: number): string {
  const records = Array.from({ length: Math.ceil(one.endpoints / PER_RECORD) }, (_, index) => {
    const first = index * PER_RECORD;
    const size = Math.min(PER_RECORD, one.endpoints - first);
    const targets = Array.from({ length: size }, (_, offset) => addressOf(first + offset));
    return record(`r${index}`, targets, one, port);
  });
  return records.map((each) => stringify(each)).join("---\n");
}

function record(name: string, targets: readonly string[], one: Case, port: number): object {
  const rootHost = `${name}.price.test`;
  return {
    apiVersion: "vedette.dev/v1alpha1",
    kind: "DNSRecord",
    metadata: { name, namespace: "price" },
    spec: {
      rootHost,
      endpoints: [{ dnsName: rootHost, recordType: "A", recordTTL: 60, targets }],
      healthCheck: {
        protocol: "HTTPS",
        port,
        path: "/healthz",
        interval: `${one.intervalS}s`,
        timeout: "5s",
        failureThreshold: 2,
        successThreshold: 2,
        regions: regionsOf(one),
        quorum: "Majority",
      },
    },
  };
}
