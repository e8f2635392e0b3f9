import { z } from "zod";
import { fieldErrors, formatFieldError } from "../../../shared/model/field-error.ts";
import { canonicalHost } from "../../../shared/model/host.ts";
import { type KubeObject, refKey } from "../../kubernetes/object.ts";
import { type Addresses, readAddresses } from "./addresses.ts";
import { memoize } from "./memoize.ts";

/** The API group of Gateways. */
export const GATEWAY_GROUP = "gateway.networking.k8s.io";

/** A listener of a Gateway. */
export interface Listener {
  name: string;
  /** Canonical, may start with `*.`; absent if the listener takes any host. */
  host?: string;
  port: number;
  /** HTTP, HTTPS, TLS, TCP, UDP, or a protocol of the implementation. */
  protocol: string;
}

/** A listener that cannot be read. */
export interface UnreadableListener {
  /** Absent if it cannot be read. */
  name?: string;
  /** The reason, as a sentence. */
  why: string;
}

/** The part of a Gateway that matters for DNS. */
export interface Gateway {
  /** `namespace/name` */
  key: string;
  namespace: string;
  name: string;
  uid: string;
  createdAtMs: number;
  isBeingDeleted: boolean;
  /** In the order of the spec, each name once. */
  listeners: readonly Listener[];
  unreadable: readonly UnreadableListener[];
  addresses: Addresses;
}

const specShape = z.looseObject({ listeners: z.array(z.unknown()) });
const listenerShape = z.looseObject({
  name: z.string().min(1),
  hostname: z.string().optional(),
  port: z.int().min(1).max(65_535),
  protocol: z.string().min(1),
});

/**
 * Reads a Gateway. Other fields are ignored. A listener that cannot be read is listed in `unreadable`.
 */
export const readGateway = memoize(({ metadata, spec, status }: KubeObject): Gateway => {
  const { namespace = "default", name, uid = "" } = metadata;
  const shape = specShape.safeParse(spec);
  const read = shape.success ? shape.data.listeners.map(readListener) : [{ why: "spec.listeners is no list" }];
  const listeners = read.flatMap((one) => ("why" in one ? [] : [one]));
  return {
    key: refKey({ namespace, name }),
    namespace,
    name,
    uid,
    createdAtMs: createdAtMs(metadata),
    isBeingDeleted: metadata.deletionTimestamp !== undefined,
    listeners: listeners.filter(({ name }, index) => listeners.findIndex((one) => one.name === name) === index),
    unreadable: read.flatMap((one) => ("why" in one ? [one] : [])),
    addresses: readAddresses(status),
  };
});

/** The creation time, Unix ms. An object without one counts as the youngest. */
export function createdAtMs({ creationTimestamp }: KubeObject["metadata"]): number {
  const timeMs = Date.parse(creationTimestamp ?? "");
  return Number.isNaN(timeMs) ? Number.MAX_SAFE_INTEGER : timeMs;
}

function readListener(raw: unknown, index: number): Listener | UnreadableListener {
  const named = z.looseObject({ name: z.string() }).safeParse(raw).data;
  const unreadable = (rule: string): UnreadableListener => ({
    ...(named && { name: named.name }),
    why: `The listener ${named?.name ?? `at ${index}`} cannot be read: ${rule}`,
  });
  const shape = listenerShape.safeParse(raw);
  if (!shape.success) return unreadable(fieldErrors(shape.error, raw).map(formatFieldError).join("; "));
  const { name, hostname, port, protocol } = shape.data;
  if (hostname === undefined || hostname === "") return { name, port, protocol };
  const result = canonicalHost(hostname, true);
  return "host" in result
    ? { name, host: result.host, port, protocol }
    : unreadable(`hostname: ${JSON.stringify(hostname)} ${result.rule}`);
}
