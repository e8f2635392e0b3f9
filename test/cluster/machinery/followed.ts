import type { KubeConfig } from "@kubernetes/client-node";
import { KubeClient } from "../../../agent/kubernetes/client.ts";
import { Informer } from "../../../agent/kubernetes/informer.ts";
import type { InformerOptions } from "../../../agent/kubernetes/informer-options.ts";
import type { Kind } from "../../../agent/kubernetes/kinds.ts";
import type { KubeObject } from "../../../agent/kubernetes/object.ts";
import { until } from "../../e2e/support/until.ts";

export const CONFIG_MAP: Kind = { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };

/** Leaves out what controllers put into each namespace. */
const OURS = "test/of=machinery";

export const configMap = (namespace: string, name: string, value = ""): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, labels: { "test/of": "machinery" } },
  data: { value },
});

export const versionsOf = (objects: readonly KubeObject[]) =>
  objects.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();

/** An informer of a namespace's ConfigMaps beside a client that sees the truth. */
export class Followed {
  readonly informer: Informer;
  /** What `onChange` said: names that went, and all versions that came. */
  readonly removed: string[] = [];
  readonly came: string[] = [];
  requests = 0;
  readonly #truth: KubeClient;
  readonly #selection: { namespace: string; labelSelector: string };

  constructor(config: KubeConfig, truth: KubeClient, namespace: string, more: Partial<InformerOptions> = {}) {
    this.#truth = truth;
    this.#selection = { namespace, labelSelector: OURS };
    const onRequest = () => {
      this.requests += 1;
    };
    this.informer = new Informer({
      client: new KubeClient(config, { deadlineMs: 1_000, onRequest }),
      kind: CONFIG_MAP,
      namespace,
      labelSelector: OURS,
      resyncMs: 600_000,
      onChange: (before, after) => {
        if (after === undefined) this.removed.push(`${before?.metadata.name}`);
        else this.came.push(`${after.metadata.name}@${after.metadata.resourceVersion}`);
      },
      log: () => {},
      ...more,
    });
    this.informer.start();
  }

  get held(): string[] {
    return versionsOf(this.informer.list());
  }

  synced(): Promise<boolean> {
    return until("the informer to have read all", () => this.informer.isSynced);
  }

  /** Resolves once the informer holds what the API server has. */
  async agrees(): Promise<void> {
    let truth: string[] = [];
    await until(
      "the informer to hold what the API server has",
      async () => {
        truth = versionsOf((await this.#truth.list(CONFIG_MAP, this.#selection)).items);
        return truth.join() === this.held.join();
      },
      150_000,
      () => ({ held: this.held, truth }),
    );
  }
}
