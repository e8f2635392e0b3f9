import { z } from "zod";
import { dnsName } from "../../shared/model/host.ts";
import type { Contact } from "../edge/contact.ts";
import { FinalizerController, type FinalizerControllerOptions } from "../finalizer/finalizer-controller.ts";
import { isHeldBy } from "../publish/external-dns/endpoint-object.ts";
import { GatewayController } from "../sources/gateway/gateway-controller.ts";
import type { State } from "../status/state.ts";
import { gatewayPort } from "./gateway-port.ts";
import type { LeaderSessionOptions } from "./term-options.ts";

const CONCURRENCY = 8;

const elapsedMs = () => performance.now();

/** Makes records of Gateways. */
export function makeGateways({ settings, client, caches, log }: LeaderSessionOptions): GatewayController {
  return new GatewayController({
    gateways: caches.gateways,
    policies: caches.policies,
    records: caches.records,
    port: gatewayPort(client, caches),
    windowMs: settings.reconfigMaxDelayMs,
    log,
    now: Date.now,
    elapsedMs,
    random: Math.random,
  });
}

const naming = z.looseObject({ rootHost: dnsName });

interface Known extends Pick<FinalizerControllerOptions, "apiClock" | "onEvent"> {
  contact: Contact;
  hosts: () => State["hosts"];
}

/** Holds the records by their finalizer until the edge has forgotten them. */
export function makeLifecycle(
  { client, caches, settings, log }: LeaderSessionOptions,
  { contact, apiClock, onEvent, hosts }: Known,
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
    isInDns: ({ metadata }) => {
      const endpoint = caches.endpoints?.get(metadata);
      return endpoint !== undefined && isHeldBy(endpoint, metadata);
    },
    onEvent,
    log,
    elapsedMs,
    random: Math.random,
  });
}
