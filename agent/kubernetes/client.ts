import type { KubeConfig } from "@kubernetes/client-node";
import { linkAbort, withDeadline } from "./abort.ts";
import { decodeListPage, decodeWatch, type KubeList, unexpectedResponse, type WatchEvent } from "./decode.ts";
import { KubeError } from "./errors.ts";
import { collectionPath, type Kind, objectPath } from "./kinds.ts";
import { type KubeObject, type ObjectRef, refKey } from "./object.ts";
import { type Call, Connection } from "./transport.ts";

export { KubeError };

const DEADLINE_MS = 15_000;
const PAGE_SIZE = "500";
/** Attempts to read a list; a list that expires between two pages starts again. */
const MOST_LISTS = 3;

/** One finished call, for metrics. `code` is the HTTP status, or 0 if no answer came. */
export interface RequestInfo {
  verb: string;
  kind: string;
  code: number;
  ms: number;
}

interface ClientHooks {
  onRequest?: (about: RequestInfo) => void;
  /** The time limit of each call in milliseconds; for a watch, of the time until its first answer. Default: 15 s. */
  deadlineMs?: number;
}

/** Selects objects of a kind. */
export interface Selection {
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
}

export interface ApplyOptions {
  fieldManager: string;
  /** Whether to take over fields that another manager owns. Default: true, as controllers do. */
  force?: boolean;
  subresource?: "status";
}

interface ListOptions extends Selection {
  signal?: AbortSignal;
}

interface CallOptions {
  /** A deadline that is shorter than the client's, in milliseconds. */
  deadlineMs?: number | undefined;
}

export interface WatchOptions extends Selection {
  resourceVersion: string;
  /** The server ends the watch after this time. */
  timeoutSeconds: number;
  signal: AbortSignal;
}

type Plan = Omit<Call, "signal" | "what"> & {
  kind: Kind;
  name?: string;
  signal?: AbortSignal | undefined;
} & CallOptions;

/** The calls that the agent makes to the API server. Every failure is a KubeError. */
export class KubeClient {
  readonly #connection: Connection;
  readonly #onRequest: (about: RequestInfo) => void;
  readonly #deadlineMs: number;

  constructor(config: KubeConfig, { onRequest = () => {}, deadlineMs = DEADLINE_MS }: ClientHooks = {}) {
    this.#connection = new Connection(config);
    this.#onRequest = onRequest;
    this.#deadlineMs = deadlineMs;
  }

  /** Returns the object, or undefined if the API server says that it does not exist. An unknown kind throws. */
  get(kind: Kind, ref: ObjectRef, options: CallOptions = {}): Promise<KubeObject | undefined> {
    const plan = {
      verb: "get",
      method: "GET",
      kind,
      name: refKey(ref),
      path: objectPath(kind, ref),
      ...options,
    } as const;
    return this.#object(plan).catch(undefinedWhereNotFound);
  }

  /**
   * Returns all objects, as of one moment. If one page fails the whole list fails, so that a part never looks complete.
   */
  async list(kind: Kind, options: ListOptions = {}): Promise<KubeList> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#pages(kind, options);
      } catch (error) {
        const hasExpired = error instanceof KubeError && error.code === 410;
        if (!hasExpired || attempt === MOST_LISTS) throw error;
      }
    }
  }

  /**
   * Server-side apply. It creates the object if it does not exist; set `metadata.uid` to get a 409 instead.
   *
   * @returns the object as it is now
   */
  apply(
    kind: Kind,
    object: KubeObject,
    { fieldManager, force = true, subresource }: ApplyOptions,
  ): Promise<KubeObject> {
    const path = objectPath(kind, object.metadata, subresource, { fieldManager, force: String(force) });
    const contentType = "application/apply-patch+yaml";
    const verb = subresource === undefined ? "apply" : `apply ${subresource} of`;
    return this.#object({
      verb,
      method: "PATCH",
      kind,
      name: refKey(object.metadata),
      path,
      body: object,
      contentType,
    });
  }

  /** @throws KubeError 409 if an object of that name exists */
  create(kind: Kind, object: KubeObject, options: CallOptions = {}): Promise<KubeObject> {
    const path = collectionPath(kind, object.metadata.namespace);
    return this.#write("create", "POST", { kind, object, path, ...options });
  }

  /** @throws KubeError 409 if the object no longer has `metadata.resourceVersion` */
  replace(kind: Kind, object: KubeObject, options: CallOptions = {}): Promise<KubeObject> {
    return this.#write("replace", "PUT", { kind, object, path: objectPath(kind, object.metadata), ...options });
  }

  /** Deletes the object; one that does not exist counts as deleted. @throws KubeError 409 if it has another uid */
  async delete(
    kind: Kind,
    ref: ObjectRef,
    { uid, propagation }: { uid?: string | undefined; propagation?: "Background" | "Foreground" | "Orphan" } = {},
  ): Promise<void> {
    const body = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    };
    const path = objectPath(kind, ref);
    const plan = { verb: "delete", method: "DELETE", kind, name: refKey(ref), path, body } as const;
    await this.#json({ ...plan, contentType: "application/json" }).catch(undefinedWhereNotFound);
  }

  /**
   * Watches the objects from a resourceVersion on, with bookmarks.
   *
   * @returns the events, once the server has accepted the watch. They end when the watch ends, or fail with a KubeError
   */
  async watch(
    kind: Kind,
    { resourceVersion, timeoutSeconds, signal, namespace, ...selectors }: WatchOptions,
  ): Promise<AsyncIterable<WatchEvent>> {
    const call = { verb: "watch", what: kind.plural };
    const path = collectionPath(kind, namespace, {
      ...selectors,
      resourceVersion,
      watch: "true",
      allowWatchBookmarks: "true",
      timeoutSeconds: String(timeoutSeconds),
    });
    const ending = new AbortController();
    // This link lasts as long as the watch.
    linkAbort(signal, ending);
    const answer = await withDeadline(this.#deadlineMs, undefined, (opening) => {
      linkAbort(opening, ending);
      return this.#measured(kind, "watch", () =>
        this.#connection.open({ ...call, method: "GET", path, signal: ending.signal }),
      );
    });
    return decodeWatch(call, answer.body);
  }

  /** Reads a path of the API server that is no object of a kind, such as discovery. */
  read(path: string): Promise<unknown> {
    const kind = { apiVersion: "v1", kind: "APIGroup", plural: path, namespaced: false };
    return this.#json({ verb: "read", method: "GET", kind, path });
  }

  async #pages(kind: Kind, { namespace, signal, ...selectors }: ListOptions): Promise<KubeList> {
    const items: KubeObject[] = [];
    let next: string | undefined;
    for (;;) {
      const path = collectionPath(kind, namespace, { ...selectors, limit: PAGE_SIZE, continue: next });
      const page = decodeListPage(kind, await this.#json({ verb: "list", method: "GET", kind, path, signal }));
      items.push(...page.items);
      if (page.next === undefined) return { items, resourceVersion: page.resourceVersion };
      next = page.next;
    }
  }

  #write(verb: string, method: "POST" | "PUT", { kind, object, ...rest }: WritePlan): Promise<KubeObject> {
    const name = refKey(object.metadata);
    return this.#object({ verb, method, kind, name, body: object, contentType: "application/json", ...rest });
  }

  async #object(plan: Plan): Promise<KubeObject> {
    const object = (await this.#json(plan)) as KubeObject | null;
    if (typeof object?.metadata?.name === "string") return object;
    throw unexpectedResponse(plan.verb, plan.kind);
  }

  async #json({ kind, name, deadlineMs = this.#deadlineMs, signal, ...call }: Plan): Promise<unknown> {
    const what = name === undefined ? kind.plural : `${kind.plural} ${name}`;
    const answer = await withDeadline(deadlineMs, signal, (ending) =>
      this.#measured(kind, call.verb, () => this.#connection.json({ ...call, what, signal: ending })),
    );
    return answer.body;
  }

  async #measured<T extends { statusCode: number }>({ kind }: Kind, verb: string, call: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const done = (code: number) => this.#onRequest({ verb, kind, code, ms: performance.now() - startedAt });
    try {
      const answer = await call();
      done(answer.statusCode);
      return answer;
    } catch (error) {
      done(error instanceof KubeError ? error.code : 0);
      throw error;
    }
  }
}

type WritePlan = { kind: Kind; object: KubeObject; path: string } & CallOptions;

function undefinedWhereNotFound(error: unknown): undefined {
  if (error instanceof KubeError && error.isNotFound) return undefined;
  throw error;
}
