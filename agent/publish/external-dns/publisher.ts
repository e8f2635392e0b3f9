import type { KeptObject, Wanted } from "../../apply/desired.ts";
import type { WriteFailure } from "../../apply/next-action.ts";
import type { Writer } from "../../apply/writer.ts";
import { DNS_ENDPOINT } from "../../kubernetes/kinds.ts";
import { type KubeObject, MANAGED_BY_US, type ObjectRef, refKey } from "../../kubernetes/object.ts";

import type { Publication, Publisher, PublishProblem } from "../publisher.ts";
import { endpointObjects, isHeldBy } from "./endpoint-object.ts";
import type { Ownership } from "./ownership.ts";

const STATE_OF: Readonly<Record<WriteFailure["reason"], PublishProblem["state"]>> = {
  Unavailable: "Writing",
  Refused: "Refused",
  Contested: "Overtaken",
  Foreign: "Foreign",
};

export interface DnsEndpointPublisherOptions {
  writer: Writer;
  endpoints: { get(ref: ObjectRef): KubeObject | undefined };
  ownership: Ownership;
  /** Called when the problems have changed without a call of `publish`. */
  onChange: () => void;
}

/** Publishes through external-dns, which reads DNSEndpoint objects. */
export class DnsEndpointPublisher implements Publisher {
  readonly isDurable = true;
  readonly #options: DnsEndpointPublisherOptions;
  #last: Publication | undefined;

  constructor(options: DnsEndpointPublisherOptions) {
    this.#options = options;
  }

  async publish(publication: Publication): Promise<void> {
    this.#last = publication;
    await this.#options.ownership.ask(hostsOf(publication));
    await this.#write(publication);
  }

  problems(): PublishProblem[] {
    const { ownership, writer } = this.#options;
    const owned = Object.keys(this.#last?.hosts ?? {}).flatMap((rootHost): PublishProblem[] => {
      const message = ownership.conflictOf(rootHost);
      return message === undefined ? [] : [{ about: { rootHost }, state: "Foreign", reason: "OtherOwner", message }];
    });
    // A DNSEndpoint has the name of the record that holds it.
    const failed = writer.failures.map(({ ref, reason, message }): PublishProblem => {
      const record = refKey(ref);
      const about = `DNSEndpoint ${record}: ${message}`;
      return { about: { record }, state: STATE_OF[reason], reason: `${reason}Object`, message: about };
    });
    return [...owned, ...failed];
  }

  holds(record: ObjectRef & { uid?: string | undefined }): boolean {
    const endpoint = this.#options.endpoints.get(record);
    return endpoint !== undefined && isHeldBy(endpoint, record);
  }

  async recheck(): Promise<void> {
    const last = this.#last;
    if (last === undefined || !(await this.#options.ownership.askAgain(hostsOf(last)))) return;
    await this.#write(this.#last ?? last);
    this.#options.onChange();
  }

  stop(): void {
    this.#options.ownership.stop();
  }

  async #write({ hosts, records, kept }: Publication): Promise<void> {
    const { writer, endpoints, ownership } = this.#options;
    const hostOf = new Map(records.map(({ key, spec }) => [key, spec.rootHost]));
    const isOwned = (ref: ObjectRef) => ownership.conflictOf(hostOf.get(refKey(ref)) ?? "") !== undefined;
    const keep = (ref: ObjectRef): KeptObject => ({ type: "Kept", kind: DNS_ENDPOINT, ref });
    const unlessOwned = (wanted: Wanted) =>
      wanted.type === "Object" && isOwned(wanted.object.metadata) ? keep(wanted.object.metadata) : wanted;
    const wanted = endpointObjects(records, hosts, (ref) => endpoints.get(ref));
    await writer.publish({
      wanted: [...wanted.map(unlessOwned), ...kept.map(keep)],
      scopes: [{ kind: DNS_ENDPOINT, labels: MANAGED_BY_US }],
    });
  }
}

const hostsOf = ({ hosts }: Publication) =>
  Object.entries(hosts).map(([rootHost, { served = [] }]) => ({ rootHost, endpoints: served }));
