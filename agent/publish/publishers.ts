import type { Writer } from "../apply/writer.ts";
import type { KubeObject, ObjectRef } from "../kubernetes/object.ts";
import type { Settings } from "../runtime/settings-schema.ts";
import { DnsServerPublisher } from "./dns-server/publisher.ts";
import type { Zones } from "./dns-server/respond.ts";
import { zoneSettings } from "./dns-server/zone.ts";
import { Ownership } from "./external-dns/ownership.ts";
import { DnsEndpointPublisher } from "./external-dns/publisher.ts";
import type { Publisher } from "./publisher.ts";

/** What publishers are made from. In file mode there is no `writer`. */
export interface PublisherContext {
  settings: Settings;
  serve: (zones: Zones) => void;
  writer?: Writer;
  endpoints?: { get(ref: ObjectRef): KubeObject | undefined } | undefined;
  onChange?: () => void;
}

type PublisherName = NonNullable<Settings["publisher"]>[number];

/** All publishers by their name in the setting `publisher`, in the order in which they are called. */
const PUBLISHERS: Record<PublisherName, (context: PublisherContext) => Publisher | undefined> = {
  "external-dns": ({ writer, endpoints, settings, onChange = () => {} }) =>
    writer &&
    endpoints &&
    new DnsEndpointPublisher({ writer, endpoints, ownership: new Ownership(settings), onChange }),
  embedded: ({ serve, settings }) => new DnsServerPublisher(serve, zoneSettings(settings)),
};

/** Whether decisions are published this way. Default: external-dns with kubernetes, else the own DNS server. */
export function publishes({ publisher, kubernetes }: Pick<Settings, "publisher" | "kubernetes">, name: PublisherName) {
  return (publisher ?? [kubernetes ? "external-dns" : "embedded"]).includes(name);
}

/** Makes the publishers that the settings name. */
export function makePublishers(context: PublisherContext): Publisher[] {
  const names = Object.keys(PUBLISHERS) as PublisherName[];
  return names.flatMap((name) => (publishes(context.settings, name) ? (PUBLISHERS[name](context) ?? []) : []));
}
