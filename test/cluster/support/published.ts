import { KubeClient } from "../../../agent/kubernetes/client.ts";
import { Informer } from "../../../agent/kubernetes/informer.ts";
import { DNS_ENDPOINT } from "../../../agent/kubernetes/kinds.ts";
import type { KubeObject } from "../../../agent/kubernetes/object.ts";
import type { Cluster } from "./cluster.ts";

interface Endpoint {
  dnsName: string;
  targets?: string[];
}

const endpointsOf = ({ spec }: KubeObject) => (spec as { endpoints?: Endpoint[] }).endpoints ?? [];

/** Watches the DNSEndpoints of a namespace and keeps every version in order: what external-dns was to publish at any time. */
export class Published {
  /** Each distinct set of targets of each name since the beginning, sorted, with spaces; empty where there was none. */
  readonly seen = new Map<string, string[]>();
  /** What happened to the objects, in order: `added shop`, `deleted shop`. */
  readonly objects: string[] = [];
  readonly #informer: Informer;

  constructor(cluster: Cluster, namespace: string) {
    this.#informer = new Informer({
      client: new KubeClient(cluster.config),
      kind: DNS_ENDPOINT,
      namespace,
      resyncMs: 3_600_000,
      log: () => {},
      onChange: (before, after) => this.#note(before, after),
    });
    this.#informer.start();
  }

  /** The names of the objects that are there. */
  get names(): string[] {
    return this.#informer
      .list()
      .map(({ metadata }) => metadata.name)
      .sort();
  }

  /** What is to be published of a name now. */
  targets(dnsName: string): string {
    return this.seen.get(dnsName)?.at(-1) ?? "";
  }

  /** To be given to `since`. */
  mark(dnsName: string): number {
    return this.seen.get(dnsName)?.length ?? 0;
  }

  /** Every distinct set of targets since the mark, and the one that stood then. */
  since(dnsName: string, mark: number): string[] {
    return this.seen.get(dnsName)?.slice(Math.max(0, mark - 1)) ?? [];
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }

  #note(before: KubeObject | undefined, after: KubeObject | undefined): void {
    const object = after ?? before;
    if (object === undefined) return;
    if (before === undefined) this.objects.push(`added ${object.metadata.name}`);
    if (after === undefined) this.objects.push(`deleted ${object.metadata.name}`);
    const names = [before, after].flatMap((one) => (one === undefined ? [] : endpointsOf(one)));
    for (const dnsName of new Set(names.map((one) => one.dnsName))) {
      const all = this.#informer.list().flatMap(endpointsOf);
      const targets = all.filter((one) => one.dnsName === dnsName).flatMap((one) => one.targets ?? []);
      const text = [...new Set(targets)].sort().join(" ");
      const seen = this.seen.get(dnsName) ?? [];
      if (seen.at(-1) !== text) this.seen.set(dnsName, [...seen, text]);
    }
  }
}
