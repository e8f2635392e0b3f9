import type { Writer } from "../apply/writer.ts";
import { Controller } from "../controller.ts";
import { Contact } from "../edge/contact.ts";
import { EdgeConnection } from "../edge/edge-connection.ts";
import { ApiServerClock } from "../finalizer/api-server-clock.ts";
import type { FinalizerController } from "../finalizer/finalizer-controller.ts";
import { EventRecorder } from "../kubernetes/events.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { Published } from "../plan/explain.ts";
import type { Publisher } from "../publish/publisher.ts";
import { makePublishers } from "../publish/publishers.ts";
import { StatePublisher } from "../publish/state-publisher.ts";
import type { GatewayController } from "../sources/gateway/gateway-controller.ts";
import { HeaderSecrets } from "../sources/header-secrets.ts";
import { KubernetesSource } from "../sources/kubernetes-source.ts";
import type { State } from "../status/state.ts";
import { ContactLease } from "./contact-lease.ts";
import { makeGateways, makeLifecycle, makeWriter } from "./controllers.ts";
import type { LeaderSessionOptions } from "./leader-session-options.ts";
import { StatusWriter } from "./status-writer.ts";

/** What the components of a session report to it. */
export interface SessionEvents {
  leads: () => boolean;
  /** Throws if nothing may be written any more. */
  assertMayWrite: () => void;
  onHeard: () => void;
  /** The header Secrets, or the records, are to be read again. */
  onSourceChange: () => void;
  /** What is shown of the records may have changed, without a change of the state. */
  onStatusChange: () => void;
  onSnapshotChange: () => void;
  /** The edge accepted a snapshot of the records with these keys. */
  onSnapshotTaken: (keys: ReadonlySet<string>) => void;
  onPublished: (change: Published) => void;
}

export interface LeaderComponents {
  contact: Contact;
  apiClock: ApiServerClock;
  writer: Writer;
  publishers: readonly Publisher[];
  lifecycle: FinalizerController;
  statuses: StatusWriter;
  lease: ContactLease;
  secrets: HeaderSecrets;
  source: KubernetesSource;
  core: Controller;
  link: EdgeConnection;
  gateways: GatewayController;
}

/** Makes the components of a leader, each from those before it. */
export function makeComponents(options: LeaderSessionOptions, state: State, events: SessionEvents): LeaderComponents {
  const { settings, client, caches, namespace, identity, log, metrics } = options;
  const apiClock = new ApiServerClock(elapsedMs);
  const contact = new Contact(settings.edgeStaleAfterMs, state.silent, elapsedMs, events.onHeard);
  const writer = makeWriter(options, { mayWrite: events.leads, onEndpointFailure: events.onStatusChange });
  const publishers = makePublishers({
    settings,
    serve: (zones) => events.leads() && options.serve(zones),
    writer,
    endpoints: caches.endpoints,
    onChange: events.onStatusChange,
  });
  let core: Controller | undefined;
  const recorder = new EventRecorder({ client, instance: identity, log, elapsedMs });
  const lifecycle = makeLifecycle(options, {
    contact,
    apiClock,
    publishers,
    // The core serves the stored state while it is being made.
    hosts: () => (core?.state ?? state).hosts,
    onEvent: (record, event) => recorder.record(record, { ...event, at: Date.now() }),
  });
  const isMember = (record: KubeObject) => lifecycle.isMember(record);
  const deletionConditionOf = (record: KubeObject) => lifecycle.conditionOf(record);
  const statuses = new StatusWriter(
    { writer, informers: caches, publishers, events: recorder, metrics, isMember, deletionConditionOf },
    state.records,
  );
  const heardAt = () => (contact.heardAgoMs === undefined ? undefined : Date.now() - contact.heardAgoMs);
  const lease = new ContactLease({ client, namespace, heardAt, onWritten: (written) => apiClock.observe(written) });
  const secrets = new HeaderSecrets({
    ...options,
    elapsedMs,
    resyncMs: settings.resyncMs,
    onChange: events.onSourceChange,
  });
  const source = new KubernetesSource({ caches, secrets, isMember });
  core = makeCore(options, state, events, { contact, publishers, lifecycle, statuses, lease });
  const link = makeLink(options, events, core);
  const gateways = makeGateways(options);
  return { contact, apiClock, writer, publishers, lifecycle, statuses, lease, secrets, source, core, link, gateways };
}

function makeCore(
  { settings, caches, log }: LeaderSessionOptions,
  state: State,
  { assertMayWrite, onSnapshotChange, onPublished }: SessionEvents,
  parts: Pick<LeaderComponents, "contact" | "publishers" | "lifecycle" | "statuses" | "lease">,
): Controller {
  const { cluster, edgeStaleAfterMs } = settings;
  const { contact, publishers, lifecycle, statuses, lease } = parts;
  const isKept = (object: KubeObject) => object.metadata.deletionTimestamp === undefined && !lifecycle.isMember(object);
  const output = new StatePublisher({
    publishers,
    save: (next) => lease.write(next),
    show: (next, source) => statuses.show(next, source),
    assertMayWrite,
    // A record whose finalizer somebody removed is claimed again. What is published for it stays meanwhile.
    keptRecords: () =>
      caches.records
        .list()
        .filter(isKept)
        .map(({ metadata }) => metadata),
    log,
  });
  const onSnapshotChanged = onSnapshotChange;
  return new Controller(
    { cluster, edgeStaleAfterMs, contact, output, onSnapshotChanged, onPublished, log, now: Date.now },
    state,
  );
}

function makeLink(
  { settings, metrics, log }: LeaderSessionOptions,
  events: SessionEvents,
  core: Controller,
): EdgeConnection {
  return new EdgeConnection({
    settings,
    core: () => core,
    reread: async () => events.onSourceChange(),
    onSnapshotTaken: events.onSnapshotTaken,
    onPushed: (result, records) => metrics.observePush(result, records),
    log,
    now: Date.now,
  });
}

const elapsedMs = () => performance.now();
