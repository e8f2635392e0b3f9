import { isFields } from "../../agent/apply/compare.ts";
import type { ObjectCache, ObjectClient } from "../../agent/apply/options.ts";
import { KubeError } from "../../agent/kubernetes/errors.ts";
import type { Kind } from "../../agent/kubernetes/kinds.ts";
import { type KubeObject, type ObjectRef, refKey } from "../../agent/kubernetes/object.ts";

type Fields = Record<string, unknown>;
export interface Call {
  verb: "get" | "apply" | "apply status" | "delete";
  name: string;
}

export const apiError = (code: number, reason: string, message = "refused for the test") =>
  new KubeError({ verb: "test", what: "object" }, { code, reason, message });

/** The objects of one kind, with what server-side apply does to them: maps are merged, lists taken whole. */
export class FakeApi implements ObjectClient {
  readonly calls: Call[] = [];
  readonly objects = new Map<string, KubeObject>();
  /** Thrown instead of an answer. */
  failure: (call: Call) => Error | undefined = () => undefined;
  /** Called after each write, as a watch or another writer would be. */
  onWritten: (key: string) => void = () => {};
  /** Holds answers back until it resolves. */
  gate: (call: Call) => Promise<void> | undefined = () => undefined;
  readonly #applied = new Map<string, Fields>();
  #version = 100;
  #uid = 0;

  /** The writes, without what was only read. */
  get writes(): Call[] {
    return this.calls.filter(({ verb }) => verb !== "get");
  }

  /** What another writer does. */
  set(object: KubeObject): KubeObject {
    const key = refKey(object.metadata);
    const uid = object.metadata.uid ?? this.objects.get(key)?.metadata.uid ?? this.#newUid();
    return this.#store(key, { ...object, metadata: { ...object.metadata, uid } });
  }

  /** What another writer does to an object that is there. */
  change(ref: ObjectRef, change: (object: KubeObject) => void): void {
    const object = structuredClone(this.objects.get(refKey(ref)));
    if (object === undefined) return;
    change(object);
    this.set(object);
  }

  remove(ref: ObjectRef): void {
    const key = refKey(ref);
    this.objects.delete(key);
    for (const part of ["", "status"]) this.#applied.delete(key + part);
  }

  async get(_kind: Kind, ref: ObjectRef): Promise<KubeObject | undefined> {
    await this.#called({ verb: "get", name: refKey(ref) });
    return structuredClone(this.objects.get(refKey(ref)));
  }

  async apply(
    kind: Kind,
    object: KubeObject,
    { subresource, force = true }: { fieldManager: string; force?: boolean; subresource?: "status" },
  ): Promise<KubeObject> {
    const key = refKey(object.metadata);
    await this.#called({ verb: subresource ? "apply status" : "apply", name: key });
    const there = this.objects.get(key);
    const { uid, resourceVersion, ...metadata } = object.metadata;
    if (uid !== undefined && there?.metadata.uid !== uid) throw apiError(409, "Conflict", "uid mismatch");
    if (resourceVersion !== undefined && there?.metadata.resourceVersion !== resourceVersion)
      throw apiError(409, "Conflict", "the object has been modified");
    if (there === undefined && subresource) throw apiError(404, "NotFound");
    if (!force && there !== undefined) throw apiError(409, "Conflict", "fields are held by another manager");
    const said = structuredClone(subresource ? { status: object.status } : { ...object, metadata }) as Fields;
    const before = this.#applied.get(key + (subresource ?? ""));
    const next = merge(without((there ?? {}) as unknown as Fields, before ?? {}, said), said) as unknown as KubeObject;
    this.#applied.set(key + (subresource ?? ""), said);
    const uidNow = there?.metadata.uid ?? this.#newUid();
    const managedFields = (["", "status"] as const).flatMap((part) => {
      const fields = this.#applied.get(key + part);
      const entry = { manager: "vedette-agent", operation: "Apply", subresource: part, fieldsV1: fieldsV1(fields) };
      return fields ? [entry] : [];
    });
    const whole = { ...next, apiVersion: kind.apiVersion, kind: kind.kind };
    const stored = this.#store(key, { ...whole, metadata: { ...next.metadata, uid: uidNow, managedFields } });
    this.onWritten(key);
    return stored;
  }

  async delete(_kind: Kind, ref: ObjectRef, { uid }: { uid: string }): Promise<void> {
    const key = refKey(ref);
    await this.#called({ verb: "delete", name: key });
    const there = this.objects.get(key);
    if (there === undefined) return;
    if (there.metadata.uid !== uid) throw apiError(409, "Conflict", "uid mismatch");
    this.remove(ref);
    this.onWritten(key);
  }

  async #called(call: Call): Promise<void> {
    this.calls.push(call);
    await this.gate(call);
    const failure = this.failure(call);
    if (failure) throw failure;
  }

  #newUid(): string {
    this.#uid += 1;
    return `uid-${this.#uid}`;
  }

  #store(key: string, object: KubeObject): KubeObject {
    this.#version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    this.objects.set(key, stored);
    return structuredClone(stored);
  }
}

/** A cache that follows the API on demand. */
export class FakeCache implements ObjectCache {
  isSynced = true;
  readonly #api: FakeApi;
  #objects = new Map<string, KubeObject>();

  constructor(api: FakeApi) {
    this.#api = api;
  }

  /** Reads everything again. Returns what has changed. */
  sync(): ObjectRef[] {
    const before = this.#objects;
    this.#objects = structuredClone(this.#api.objects);
    const keys = new Set([...before.keys(), ...this.#objects.keys()]);
    const version = (object?: KubeObject) => object?.metadata.resourceVersion;
    const changed = [...keys].filter((key) => version(before.get(key)) !== version(this.#objects.get(key)));
    return changed.flatMap((key) => (this.#objects.get(key) ?? before.get(key))?.metadata ?? []);
  }

  list(): readonly KubeObject[] {
    return [...this.#objects.values()];
  }

  get(ref: ObjectRef): KubeObject | undefined {
    return this.#objects.get(refKey(ref));
  }

  put(object: KubeObject): void {
    const version = (one?: KubeObject) => Number(one?.metadata.resourceVersion ?? 0);
    const key = refKey(object.metadata);
    if (version(object) > version(this.#objects.get(key))) this.#objects.set(key, object);
  }
}

function merge(into: Fields, said: Fields): Fields {
  const merged: Fields = { ...into };
  for (const [name, value] of Object.entries(said))
    merged[name] = isFields(value) && isFields(into[name]) ? merge(into[name] as Fields, value as Fields) : value;
  return merged;
}

/** The object without the fields that were applied before and are not any more. */
function without(object: Fields, before: Fields, now: Fields): Fields {
  const kept = Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
    if (!(name in before)) return [[name, value]];
    if (!(name in now)) return [];
    const isDeep = [value, before[name], now[name]].every(isFields);
    return [[name, isDeep ? without(value as Fields, before[name] as Fields, now[name] as Fields) : value]];
  });
  return Object.fromEntries(kept);
}

function fieldsV1(value: unknown): unknown {
  if (!isFields(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !["apiVersion", "kind", "name", "namespace", "uid"].includes(name))
      .map(([name, below]) => [`f:${name}`, fieldsV1(below)]),
  );
}
