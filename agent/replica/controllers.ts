import { z } from "zod";
import { dnsName } from "../../shared/model/host.ts";
import { Writer } from "../apply/writer.ts";
import type { Contact } from "../edge/contact.ts";
import { FinalizerController, type FinalizerControllerOptions } from "../finalizer/finalizer-controller.ts";
import { DNS_ENDPOINT } from "../kubernetes/kinds.ts";
import type { Publisher } from "../publish/publisher.ts";
import { systemClock } from "../runtime/clock.ts";
import { GatewayController } from "../sources/gateway/gateway-controller.ts";
import type { State } from "../status/state.ts";
import { gatewayPort } from "./gateway-port.ts";
import type { LeaderSessionOptions } from "./leader-components.ts";

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
