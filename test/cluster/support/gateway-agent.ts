import type { KubeClient } from "../../../agent/kubernetes/client.ts";
import { Informer } from "../../../agent/kubernetes/informer.ts";
import { DNS_HEALTH_CHECK_POLICY, DNS_RECORD, GATEWAY, type Kind } from "../../../agent/kubernetes/kinds.ts";
import type { KubeObject } from "../../../agent/kubernetes/object.ts";
import { gatewayPort } from "../../../agent/replica/controllers.ts";
import { systemClock } from "../../../agent/runtime/clock.ts";
import { GatewayController } from "../../../agent/sources/gateway/gateway-controller.ts";
import type { GatewayPort } from "../../../agent/sources/gateway/writes.ts";

/** The part of the agent that makes records from Gateways, for one namespace, and what it wrote. */
export interface GatewayAgent {
  /** Names of records and policies, in order. */
  writes: readonly string[];
  stop(): Promise<void>;
}

/** Starts it on a real API server. A kind that the server does not know is looked for each 200 ms or so. */
export function startGatewayAgent(client: KubeClient, namespace: string): GatewayAgent {
  const writes: string[] = [];
  const changed = () => controller.changed();
  const watch = { onChange: changed, onStateChange: changed, log: () => {}, resyncMs: 600_000, unknownRetryMs: 200 };
  const informer = (kind: Kind) => new Informer({ client, kind, namespace, ...watch });
  const [gateways, policies, records] = [informer(GATEWAY), informer(DNS_HEALTH_CHECK_POLICY), informer(DNS_RECORD)];
  const port = gatewayPort(client, { records, policies });
  const noted = ({ metadata }: KubeObject, written: Promise<unknown>) => {
    writes.push(metadata.name);
    return written;
  };
  const noting: GatewayPort = {
    readAnew: () => port.readAnew(),
    applyRecord: (object) => noted(object, port.applyRecord(object)),
    deleteRecord: (object) => noted(object, port.deleteRecord(object)),
    applyPolicyStatus: (object, status) => noted(object, port.applyPolicyStatus(object, status)),
  };
  const controller: GatewayController = new GatewayController({
    gateways,
    policies,
    records,
    port: noting,
    windowMs: 50,
    log: () => {},
    clock: systemClock,
    random: Math.random,
  });
  const informers = [gateways, policies, records];
  for (const one of informers) one.start();
  controller.start();
  const stop = async () => {
    await controller.stop();
    await Promise.all(informers.map((one) => one.stop()));
  };
  return { writes, stop };
}
