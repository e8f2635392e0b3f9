import type { DeliveredRecord } from "../../../agent/edge/delivered.ts";
import type { Delivery } from "../../../shared/model/messages/delivery.ts";
import type { MessageNumber } from "../../../shared/model/number.ts";

export interface DeliveredOptions {
  shares?: DeliveredRecord["shares"];
  /** Leaves that each cluster probes. Default: the cluster `here` probes all. */
  probed?: Record<string, string[]>;
  unhealthy?: string[];
  whenSilent?: "Publish" | "Freeze";
  record?: string;
}

/** A decision that publishes these addresses at the root host, as the edge would send it. */
export function delivered(rootHost: string, published: string[], options: DeliveredOptions = {}): DeliveredRecord {
  const { record = "shop/x", unhealthy = [], probed = { here: [...published, ...unhealthy] } } = options;
  const region = { region: "weur", freshness: "Fresh", checkedAt: 1 };
  const probe = (cluster: string, leaf: string): DeliveredRecord["probes"][number] => ({
    cluster,
    record,
    leaf,
    verdict: unhealthy.includes(leaf) ? "Unhealthy" : "Healthy",
    since: 1,
    consecutiveFailures: unhealthy.includes(leaf) ? 3 : 0,
    failureThreshold: 2,
    regions: [
      unhealthy.includes(leaf)
        ? {
            ...region,
            counts: { failures: 3, successes: 0, says: "Unhealthy" },
            observation: { reason: "ConnectFailed" },
          }
        : { ...region, counts: { failures: 0, successes: 2, says: "Healthy" }, observation: { reason: "Ok" } },
    ],
  });
  return {
    rootHost,
    whenSilent: options.whenSilent ?? "Publish",
    endpoints:
      published.length === 0
        ? []
        : [{ dnsName: rootHost, recordType: "A", recordTTL: 60, targets: published.toSorted() }],
    shares: options.shares ?? [{ cluster: "here", record, conditions: [] }],
    leaves: [
      ...published.map((leaf) => ({ leaf, published: true, reason: "Healthy" })),
      ...unhealthy.map((leaf) => ({ leaf, published: false, reason: "UnhealthyWithheld" })),
    ],
    probes: Object.entries(probed).flatMap(([cluster, leaves]) => leaves.map((leaf) => probe(cluster, leaf))),
    decidedAt: 1,
  };
}

/** A delivery to the cluster `here`, as JSON. */
export function delivery(number: MessageNumber, records: unknown[], sentAt = 1_000 + number.n): unknown {
  return { version: 1, cluster: "here", kind: "Full", number, sentAt, records };
}

/** The same, of what has changed since a number. */
export function changes(
  since: MessageNumber,
  number: MessageNumber,
  records: unknown[],
  removed: string[] = [],
  sentAt = 1_000 + number.n,
): unknown {
  return { version: 1, cluster: "here", kind: "Changes", since, number, sentAt, records, removed };
}

export function contact(number: MessageNumber, sentAt: number): Delivery {
  return { version: 1, cluster: "here", kind: "Contact", number, sentAt };
}
