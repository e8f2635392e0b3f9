import type { Selection, WatchOptions } from "../../agent/kubernetes/client.ts";
import type { KubeList, WatchEvent } from "../../agent/kubernetes/decode.ts";
import { KubeError } from "../../agent/kubernetes/errors.ts";
import type { Kind } from "../../agent/kubernetes/kinds.ts";
import { type KubeObject, refKey } from "../../agent/kubernetes/object.ts";

/** An API server whose objects the test changes, and whose answers it may refuse. */
export class FakeWatch {
  /** What was listed: plurals, with the field selector where there was one. */
  readonly lists: string[] = [];
  /** Thrown instead of an answer to a list. */
  failure: (kind: Kind, selection: Selection) => KubeError | undefined = () => undefined;
  readonly #objects = new Map<string, { kind: Kind; object: KubeObject }>();
  readonly #watches = new Set<{ kind: Kind; selection: Selection; tell: (event: WatchEvent) => void }>();
  #version = 1;

  set(kind: Kind, object: KubeObject): void {
    const key = `${kind.plural} ${refKey(object.metadata)}`;
    const type = this.#objects.has(key) ? "MODIFIED" : "ADDED";
    const metadata = { ...object.metadata, resourceVersion: `${++this.#version}` };
    this.#objects.set(key, { kind, object: { ...object, metadata } });
    this.#tell(kind, { type, object: { ...object, metadata } });
  }

  remove(kind: Kind, name: string): void {
    const key = `${kind.plural} ${name}`;
    const held = this.#objects.get(key);
    this.#objects.delete(key);
    if (held === undefined) return;
    const metadata = { ...held.object.metadata, resourceVersion: `${++this.#version}` };
    this.#tell(kind, { type: "DELETED", object: { ...held.object, metadata } });
  }

  /** How many watches are open. */
  get watches(): number {
    return this.#watches.size;
  }

  async list(kind: Kind, selection: Selection = {}): Promise<KubeList> {
    this.lists.push([kind.plural, selection.fieldSelector].filter((one) => one !== undefined).join(" "));
    const failure = this.failure(kind, selection);
    if (failure !== undefined) throw failure;
    const items = [...this.#objects.values()].flatMap((one) =>
      one.kind === kind && isSelected(one.object, selection) ? [one.object] : [],
    );
    return { items, resourceVersion: `${this.#version}` };
  }

  async watch(kind: Kind, { signal, ...selection }: WatchOptions): Promise<AsyncIterable<WatchEvent>> {
    const queue: WatchEvent[] = [];
    let wake = () => {};
    const tell = (event: WatchEvent) => {
      queue.push(event);
      wake();
    };
    const watch = { kind, selection, tell };
    this.#watches.add(watch);
    signal.addEventListener("abort", () => wake());
    const watches = this.#watches;
    return (async function* () {
      try {
        while (!signal.aborted) {
          const event = queue.shift();
          if (event !== undefined) yield event;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      } finally {
        watches.delete(watch);
      }
    })();
  }

  /** Discovery: no group is known, so that a kind whose list is not found is one that the cluster does not have. */
  async read(path: string): Promise<unknown> {
    if (path === "/apis") return { kind: "APIGroupList", groups: [] };
    throw new KubeError({ verb: "read", what: path }, { code: 404, reason: "NotFound", message: "no discovery here" });
  }

  #tell(kind: Kind, event: WatchEvent): void {
    for (const watch of this.#watches)
      if (watch.kind === kind && isSelected(event.object as KubeObject, watch.selection)) watch.tell(event);
  }
}

function isSelected({ metadata }: KubeObject, { namespace, fieldSelector }: Selection): boolean {
  const isThere = namespace === undefined || metadata.namespace === namespace;
  return isThere && (fieldSelector === undefined || fieldSelector === `metadata.name=${metadata.name}`);
}
