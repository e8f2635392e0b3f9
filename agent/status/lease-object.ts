import { z } from "zod";
import type { MessageNumber } from "../../shared/model/number.ts";
import { formatNumber, isNewer, NO_NUMBER, parseNumber } from "../../shared/number.ts";
import type { WantedObject } from "../apply/desired.ts";
import { LEASE } from "../kubernetes/kinds.ts";
import { type KubeObject, MANAGED_BY_US, type ObjectRef } from "../kubernetes/object.ts";
import { parseTime, rfc3339 } from "../kubernetes/time.ts";
import type { State } from "./state.ts";

/** For contact alone the Lease is written at most so often. */
const RENEW_MS = 60_000;

const NUMBER = "vedette.dev/delivery-number";
const SENT_AT = "vedette.dev/delivery-sent-at";
const SERIAL = "vedette.dev/serial";
const SILENT = "vedette.dev/silent";
const EDGE = "vedette.dev/edge";

/** What the contact Lease keeps of the agent's state over a restart. */
export interface ContactState extends Pick<State, "number" | "sentAt" | "serial" | "silent"> {
  /** The edge that the number is of; undefined where the Lease does not say. */
  edgeUrl: string | undefined;
  /** When the edge was last heard of, Unix ms. */
  heardAt: number | undefined;
}

/** Where the contact with the edge is kept. */
export function contactRef(cluster: string, namespace: string): ObjectRef {
  return { name: `vedette-${cluster}-edge`, namespace };
}

const lease = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.unknown()).catch({}) }),
  spec: z.object({ renewTime: z.iso.datetime({ offset: true }).optional().catch(undefined) }).catch({}),
});

/** Reads the contact Lease. What is missing, or was written by somebody else, is nothing known. */
export function contactOf(object: KubeObject | undefined): ContactState {
  const { data } = lease.safeParse(object);
  const annotation = (name: string) => {
    const text = data?.metadata.annotations[name];
    return typeof text === "string" ? text : undefined;
  };
  return {
    number: numberOf(annotation(NUMBER)),
    sentAt: parseTime(annotation(SENT_AT)) ?? 0,
    serial: serialOf(annotation(SERIAL)),
    silent: annotation(SILENT) === "true",
    edgeUrl: annotation(EDGE),
    heardAt: parseTime(data?.spec.renewTime),
  };
}

const numberOf = (text: string | undefined): MessageNumber => (text && parseNumber(text)) || NO_NUMBER;

/** RFC 1982: 32 bits. */
function serialOf(text: string | undefined): number {
  const serial = Number(/^\d{1,10}$/.exec(text ?? "")?.[0] ?? 1);
  return serial < 2 ** 32 ? serial : 1;
}

export interface LeaseInput {
  state: Pick<State, "number" | "sentAt" | "serial" | "silent" | "edge">;
  namespace: string;
  /** When this agent last heard of the edge, Unix ms; undefined where it has not. */
  heardAt: number | undefined;
  /** The Lease as it is. */
  before: KubeObject | undefined;
}

/**
 * The contact Lease. Its time moves with what else it says; for contact alone once a minute, so that a quiet edge costs
 * one write a minute.
 */
export function leaseObject({ state, namespace, heardAt, before }: LeaseInput): WantedObject {
  const { number, sentAt } = newestOf(state, before);
  const annotations = {
    [NUMBER]: formatNumber(number),
    [SENT_AT]: rfc3339(sentAt),
    [SERIAL]: `${state.serial}`,
    [SILENT]: `${state.silent}`,
    [EDGE]: state.edge.url,
  };
  const renewedAt = renewTime(annotations, heardAt, before);
  return {
    type: "Object",
    kind: LEASE,
    object: {
      apiVersion: LEASE.apiVersion,
      kind: LEASE.kind,
      metadata: { ...contactRef(state.edge.cluster, namespace), labels: { ...MANAGED_BY_US }, annotations },
      spec: renewedAt === undefined ? {} : { renewTime: microTime(renewedAt) },
    },
  };
}

/**
 * The number never decreases. A leader starts one below it. If that leader is lost before its first delivery, the next
 * one must not start two below.
 */
function newestOf(state: LeaseInput["state"], before: KubeObject | undefined): Pick<State, "number" | "sentAt"> {
  const held = contactOf(before);
  return held.edgeUrl === state.edge.url && isNewer(held.number, state.number) ? held : state;
}

function renewTime(
  annotations: Readonly<Record<string, string>>,
  heardAt: number | undefined,
  before: KubeObject | undefined,
): number | undefined {
  const { heardAt: written } = contactOf(before);
  if (heardAt === undefined || written === undefined) return heardAt ?? written;
  const { [SENT_AT]: _, ...telling } = annotations;
  const isSame = Object.entries(telling).every(([name, text]) => before?.metadata.annotations?.[name] === text);
  return isSame && heardAt - written < RENEW_MS ? written : Math.max(heardAt, written);
}

/** The API server takes six digits of a second for a `MicroTime`, and gives six back. */
const microTime = (atMs: number) => rfc3339(atMs).replace("Z", "000Z");
