import { type CallName, errorFromFailure, errorFromStatus, KubeError } from "./errors.ts";
import type { Kind } from "./kinds.ts";
import type { KubeObject } from "./object.ts";

const MOST_LINE_CHARS = 16 * 1024 * 1024;

/** One line of a watch. A bookmark only carries the resourceVersion that the stream has reached. */
export type WatchEvent =
  | { type: "ADDED" | "MODIFIED" | "DELETED"; object: KubeObject }
  | { type: "BOOKMARK"; object: { metadata: { resourceVersion: string } } };

const TYPES = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]);

/**
 * Decodes the events of a watch until the server ends it. An incomplete last line is dropped: the server sends that
 * event again when the watch continues from the last complete one.
 *
 * @throws KubeError for an `ERROR` event (such as 410), for a line that is no event, and if the connection breaks
 */
export async function* decodeWatch(call: CallName, body: AsyncIterable<Uint8Array>): AsyncGenerator<WatchEvent> {
  try {
    for await (const line of linesOf(call, body)) yield eventOf(call, line);
  } catch (error) {
    throw errorFromFailure(call, error);
  }
}

async function* linesOf(call: CallName, body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MOST_LINE_CHARS) throw malformed(call, "a line of the watch is longer than any object can be");
    for (const line of lines) if (line !== "") yield line;
  }
}

function eventOf(call: CallName, line: string): WatchEvent {
  const { type, object } = parse(call, line);
  if (type === "ERROR") throw errorFromStatus(call, object);
  const { name, resourceVersion } = (object as KubeObject | undefined)?.metadata ?? {};
  const isWhole = typeof resourceVersion === "string" && (type === "BOOKMARK" || typeof name === "string");
  if (!TYPES.has(type) || !isWhole) throw malformed(call, "a line of the watch is no event");
  return { type, object } as WatchEvent;
}

function parse(call: CallName, line: string): { type: string; object: unknown } {
  try {
    const event = JSON.parse(line) as { type?: unknown; object?: unknown } | null;
    return { type: String(event?.type), object: event?.object };
  } catch {
    throw malformed(call, "a line of the watch is no JSON: does a proxy answer for the API server?");
  }
}

const malformed = (call: CallName, message: string) => new KubeError(call, { code: 0, reason: "NotAWatch", message });

export interface KubeList {
  items: KubeObject[];
  resourceVersion: string;
}

/** Decodes one page of a list. Items of built-in kinds lack `kind` and `apiVersion`, so they are added. */
export function decodeListPage(kind: Kind, answer: unknown): KubeList & { next: string | undefined } {
  const {
    metadata,
    items,
    kind: said,
  } = (answer ?? {}) as {
    kind?: unknown;
    metadata?: { resourceVersion?: unknown; continue?: unknown };
    items?: unknown;
  };
  const version = metadata?.resourceVersion;
  const all = items === null ? [] : items;
  if (said !== `${kind.kind}List` || typeof version !== "string" || version === "" || !Array.isArray(all))
    throw unexpectedResponse("list", kind);
  const whole = all.map((item: KubeObject) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind }));
  if (!whole.every(({ metadata }) => typeof metadata?.name === "string")) throw unexpectedResponse("list", kind);
  return { items: whole, resourceVersion: version, next: (metadata?.continue as string | undefined) || undefined };
}

/** The error for a 2xx response that does not come from an API server. */
export function unexpectedResponse(verb: string, { kind, plural }: Kind): KubeError {
  const message = `the answer is no ${kind}, nor a list of them: does a proxy answer for the API server?`;
  return new KubeError({ verb, what: plural }, { code: 0, reason: "NotTheAPI", message });
}
