import { z } from "zod";
import { dnsName } from "../../shared/model/host.ts";
import { Writer } from "../apply/writer.ts";
import type { Contact } from "../edge/contact.ts";
import { FinalizerController, type FinalizerControllerOptions } from "../finalizer/finalizer-controller.ts";
import type { KubeClient } from "../kubernetes/client.ts";
import { KubeError } from "../kubernetes/errors.ts";
import { DNS_ENDPOINT, DNS_HEALTH_CHECK_POLICY, DNS_RECORD, GATEWAY, type Kind } from "../kubernetes/kinds.ts";
import { FIELD_MANAGER, type KubeObject } from "../kubernetes/object.ts";
import type { Publisher } from "../publish/publisher.ts";
import { systemClock } from "../runtime/clock.ts";
import { GatewayController } from "../sources/gateway/gateway-controller.ts";
import type { GatewayPort } from "../sources/gateway/writes.ts";
import type { State } from "../status/state.ts";
import type { Informers } from "./informers.ts";
import type { LeaderSessionOptions } from "./leader-session-options.ts";

const CONCURRENCY = 8;
const REFRESHES_PER_SECOND = 10;

/** Writes the objects of the cluster. `onEndpointFailure` is called when a failure to write a DNSEndpoint came, changed or went. */
export function makeWriter(
  { settings, client, caches, log }: LeaderSessionOptions,
  { mayWrite, onEndpointFailure }: { mayWrite: () => boolean; onEndpointFailure: () => void },
): Writer {
  return new Writer({
    client,
    cacheOf: (kind) => {
      const cache = caches.of(kind);
      if (cache === undefined) throw new Error(`${kind.plural} are not watched`);
      return cache;
    },
    isSynced: () => caches.isSynced,
    mayWrite,
    windowMs: settings.reconfigMaxDelayMs,
    concurrency: CONCURRENCY,
    refreshesPerSecond: REFRESHES_PER_SECOND,
    log,
    random: Math.random,
    onFailureChange: (kind) => {
      if (kind === DNS_ENDPOINT) onEndpointFailure();
    },
  });
}

/** Makes records of Gateways. */
export function makeGateways({ settings, client, caches, log }: LeaderSessionOptions): GatewayController {
  return new GatewayController({
    gateways: caches.gateways,
    policies: caches.policies,
    records: caches.records,
    port: gatewayPort(client, caches),
    windowMs: settings.reconfigMaxDelayMs,
    log,
    clock: systemClock,
    random: Math.random,
  });
}

const naming = z.looseObject({ rootHost: dnsName });

interface Known extends Pick<FinalizerControllerOptions, "apiClock" | "onEvent"> {
  contact: Contact;
  hosts: () => State["hosts"];
  publishers: readonly Publisher[];
}

/** Holds the records by their finalizer until the edge has forgotten them. */
export function makeLifecycle(
  { client, caches, settings, log }: LeaderSessionOptions,
  { contact, apiClock, onEvent, hosts, publishers }: Known,
): FinalizerController {
  return new FinalizerController({
    client,
    records: caches.records,
    apiClock,
    deletionTimeoutMs: settings.deletionTimeoutMs,
    concurrency: CONCURRENCY,
    isEdgeReachable: () => contact.state !== "Silent",
    isServed: ({ spec }) => {
      const { rootHost = "" } = naming.safeParse(spec).data ?? {};
      return (hosts()[rootHost]?.served ?? []).length > 0;
    },
    isInDns: ({ metadata }) => publishers.some((publisher) => publisher.holds(metadata)),
    onEvent,
    log,
    clock: systemClock,
    random: Math.random,
  });
}

/** Where the controller of the gateways writes: the API server, and the answers go into the caches at once. */
export function gatewayPort(
  client: Pick<KubeClient, "apply" | "delete" | "list">,
  { records, policies }: Pick<Informers, "records" | "policies">,
): GatewayPort {
  const listed = async (kind: Kind) => {
    try {
      return (await client.list(kind)).items;
    } catch (error) {
      // The cluster does not serve the kind, which does not mean that no objects exist.
      if (error instanceof KubeError && error.code === 404) return undefined;
      throw error;
    }
  };
  return {
    readAnew: async () => ({ gateways: await listed(GATEWAY), policies: await listed(DNS_HEALTH_CHECK_POLICY) }),
    async applyRecord(object: KubeObject) {
      const force = object.metadata.uid !== undefined;
      records.put(await client.apply(DNS_RECORD, object, { fieldManager: FIELD_MANAGER, force }));
    },
    async deleteRecord({ metadata }: KubeObject) {
      await client.delete(DNS_RECORD, metadata, { uid: metadata.uid });
    },
    async applyPolicyStatus({ metadata: { name, namespace, uid } }: KubeObject, status) {
      const object = {
        apiVersion: DNS_HEALTH_CHECK_POLICY.apiVersion,
        kind: DNS_HEALTH_CHECK_POLICY.kind,
        metadata: { name, ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) },
        status,
      };
      const options = { fieldManager: FIELD_MANAGER, subresource: "status" } as const;
      policies.put(await client.apply(DNS_HEALTH_CHECK_POLICY, object, options));
    },
  };
}
