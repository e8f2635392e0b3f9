import type { KubeClient } from "../kubernetes/client.ts";
import { Informer } from "../kubernetes/informer.ts";
import { SECRET } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { Log } from "../runtime/log.ts";

/**
 * The role that a person binds in a namespace whose header Secrets the agent is to read: see
 * `deploy/agent/header-secrets-role.yaml`.
 */
const ROLE = "vedette-header-secrets";

/** One that is not read by then holds up the other records no longer. */
const PATIENCE_MS = 3_000;

export interface HeaderSecretsOptions {
  client: Pick<KubeClient, "list" | "watch" | "read">;
  resyncMs: number;
  /** A Secret was read for the first time, changed, or could not be read. */
  onChange: () => void;
  /** The namespace of the agent, whose service account is to be allowed to read them. */
  namespace: string;
  log: Log;
  /** A clock that only goes forward, in milliseconds. */
  elapsedMs: () => number;
}

interface Watched {
  informer: Informer;
  sinceMs: number;
}

/**
 * The Secrets that records name for their headers, each watched alone: the agent asks for no other. A list of names
 * that changes leaves the watches alone that stay.
 */
export class HeaderSecrets {
  readonly #options: HeaderSecretsOptions;
  readonly #watched = new Map<string, Watched>();

  constructor(options: HeaderSecretsOptions) {
    this.#options = options;
  }

  /** Watches the Secrets with these keys (`namespace/name`), and no others. */
  want(keys: ReadonlySet<string>): void {
    for (const [key, { informer }] of this.#watched) {
      if (keys.has(key)) continue;
      this.#watched.delete(key);
      void informer.stop();
    }
    for (const key of keys) {
      if (this.#watched.has(key)) continue;
      this.#watched.set(key, { informer: this.#watch(key), sinceMs: this.#options.elapsedMs() });
    }
  }

  /**
   * Whether each was read, or cannot be: what is not known yet must not look like a Secret that is missing. One that
   * nobody answers for is waited for no longer than a moment.
   */
  get isSynced(): boolean {
    const nowMs = this.#options.elapsedMs();
    return [...this.#watched.values()].every(
      ({ informer, sinceMs }) =>
        informer.isSynced || informer.lastError !== undefined || nowMs - sinceMs >= PATIENCE_MS,
    );
  }

  /** Undefined where there is none. */
  secretAt(key: string): KubeObject | undefined {
    return this.#watched.get(key)?.informer.list()[0];
  }

  /** Why the Secret could never be read, and what to do. The text contains no value of the Secret. */
  troubleOf(key: string): string | undefined {
    const informer = this.#watched.get(key)?.informer;
    if (informer === undefined || informer.isSynced) return undefined;
    if (informer.lastError === undefined) return "nobody has answered yet";
    const [namespace = ""] = key.split("/");
    const serviceAccount = `${this.#options.namespace}:vedette-agent`;
    const isForbidden = informer.lastError.startsWith("403 ");
    if (!isForbidden) return informer.lastError;
    return `forbidden. Run: kubectl -n ${namespace} create rolebinding ${ROLE} --clusterrole=${ROLE} --serviceaccount=${serviceAccount}`;
  }

  get isWatching(): boolean {
    return this.#watched.size > 0;
  }

  /** Changes when a Secret becomes known or unreadable, and not with its contents. */
  get state(): string {
    return [...this.#watched].map(([key, { informer }]) => `${key} ${informer.isSynced} ${informer.lastError}`).join();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#watched.values()].map(({ informer }) => informer.stop()));
  }

  #watch(key: string): Informer {
    const [namespace, name] = key.split("/");
    const { client, resyncMs, onChange, log } = this.#options;
    const informer = new Informer({
      client,
      kind: SECRET,
      namespace,
      fieldSelector: `metadata.name=${name}`,
      resyncMs,
      onChange,
      onStateChange: onChange,
      log,
    });
    informer.start();
    return informer;
  }
}
