import { z } from "zod";
import { condition } from "./condition.ts";
import { dnsName } from "./host.ts";

const MAX_HOSTS = 100;

export const clusterName = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, {
    error: "must be an RFC 1123 label: at most 63 lower-case letters, digits and inner hyphens",
  })
  .describe("Name of the cluster.");

/** What an admin registers a cluster with. */
export const clusterRegistration = z.strictObject({
  cluster: clusterName,
  hosts: z
    .array(dnsName)
    .min(1)
    .max(MAX_HOSTS)
    .describe("Host names the cluster may use as rootHost; `*.example.com` allows every name under example.com."),
  webhookUrl: z
    .url({ error: "must be a URL" })
    .max(2048)
    .optional()
    .describe("Where deliveries go; absent for an agent that asks."),
});
export type ClusterRegistration = z.output<typeof clusterRegistration>;

/** A cluster as an admin sees it; times in Unix ms. */
export const clusterView = z.strictObject({
  ...clusterRegistration.shape,
  clusterUid: z.string().optional().describe("The cluster that the name is bound to, since its first snapshot."),
  registeredAt: z.int().nonnegative(),
  records: z.int().nonnegative(),
  lastSnapshotAt: z.int().nonnegative().optional().describe("Last accepted snapshot, to the minute."),
  lastDeliveryAt: z.int().nonnegative().optional().describe("Last word that the agent confirmed, to the minute."),
  decided: z.string().optional().describe("Number decided, as `epoch.n`; above `acknowledged` while it is behind."),
  acknowledged: z.string().optional(),
  failures: z.int().nonnegative().describe("Deliveries that failed in a row."),
  lastFailure: z.string().optional().describe("What the last of them said."),
  conditions: z.array(condition),
});
export type ClusterView = z.infer<typeof clusterView>;
