import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { WatchOptions } from "./client.ts";
import type { KubeList, WatchEvent } from "./decode.ts";
import { KubeError } from "./errors.ts";
import { Informer } from "./informer.ts";
import type { InformerOptions } from "./informer-options.ts";
import { GATEWAY } from "./kinds.ts";
import type { KubeObject } from "./object.ts";

const fail = (code: number, reason = "Why", more = {}) =>
  new KubeError({ verb: "list", what: "gateways" }, { code, reason, message: "so it is", ...more });
const object = (name: string, version: string): KubeObject => ({
  apiVersion: GATEWAY.apiVersion,
  kind: "Gateway",
  metadata: { name, namespace: "web", resourceVersion: version, uid: name },
});
const bookmark = (resourceVersion: string): WatchEvent => ({
  type: "BOOKMARK",
  object: { metadata: { resourceVersion } },
});

/** One open watch, as the test steers it. */
class Stream {
  readonly options: WatchOptions;
  readonly #queue: (WatchEvent | Error | "end")[] = [];
  #wake = () => {};

  constructor(options: WatchOptions) {
    this.options = options;
    options.signal.addEventListener("abort", () => this.push(fail(0, "AbortError")));
  }

  push(...items: (WatchEvent | Error | "end")[]): void {
    this.#queue.push(...items);
    this.#wake();
  }

  async *events(): AsyncGenerator<WatchEvent> {
    for (;;) {
      const item = this.#queue.shift();
      if (item === "end") return;
      if (item instanceof Error) throw item;
      if (item !== undefined) yield item;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

/** An API server that answers as the test says. */
class FakeServer {
  list: () => Promise<KubeList>;
  watch: (stream: Stream) => Stream | Error = (stream) => stream;
  read: (path: string) => Promise<unknown> = async (path) => {
    if (path !== "/apis") throw fail(404, "NoStatus");
    return { kind: "APIGroupList", groups: [] };
  };
  readonly streams: Stream[] = [];
  lists = 0;
  watches = 0;

  constructor(...items: KubeObject[]) {
    this.list = async () => ({ items, resourceVersion: "10" });
  }

  get stream(): Stream {
    return this.streams.at(-1)!;
  }

  readonly client: InformerOptions["client"] = {
    list: () => {
      this.lists += 1;
      return this.list();
    },
    watch: async (_, options) => {
      this.watches += 1;
      const answer = this.watch(new Stream(options));
      if (answer instanceof Error) throw answer;
      this.streams.push(answer);
      return answer.events();
    },
    read: (path) => this.read(path),
  };
}

let server: FakeServer;
let informer: Informer;
let changes: string[];
let lines: string[];

function start(options: Partial<InformerOptions> = {}): void {
  informer = new Informer({
    client: server.client,
    kind: GATEWAY,
    resyncMs: 3_600_000,
    onChange: (before, after) =>
      changes.push(
        `${(before ?? after)?.metadata.name} ${before?.metadata.resourceVersion}→${after?.metadata.resourceVersion}`,
      ),
    onStateChange: () => changes.push("state"),
    log: (_, message) => lines.push(message),
    random: () => 0.5,
    ...options,
  });
  informer.start();
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const names = () => informer.list().map(({ metadata }) => metadata.name);

beforeEach(() => {
  vi.useFakeTimers();
  changes = [];
  lines = [];
  server = new FakeServer(object("a", "1"), object("b", "2"));
});
afterEach(async () => {
  await informer.stop();
  vi.useRealTimers();
});

describe("while all is well", () => {
  test("it lists, watches from there, and tells every change", async () => {
    start();
    expect(informer.isSynced).toBe(false);
    await pass(0);
    expect([informer.isSynced, names(), server.stream.options.resourceVersion]).toEqual([true, ["a", "b"], "10"]);
    server.stream.push({ type: "ADDED", object: object("c", "11") }, { type: "DELETED", object: object("a", "12") });
    await pass(0);
    expect(changes).toEqual(["a undefined→1", "b undefined→2", "state", "c undefined→11", "a 1→undefined"]);
    expect([informer.lastError, lines]).toEqual([undefined, []]);
  });

  test("an own write's answer is there at once", async () => {
    start();
    await pass(0);
    informer.put(object("c", "11"));
    expect(informer.get({ name: "c", namespace: "web" })?.metadata.resourceVersion).toBe("11");
    server.stream.push({ type: "ADDED", object: object("c", "11") });
    await pass(0);
    expect(changes.filter((change) => change.startsWith("c"))).toEqual(["c undefined→11"]);
  });

  test("a watch that the server ends goes on where it was, without a list", async () => {
    start();
    await pass(0);
    server.stream.push(bookmark("40"));
    await pass(60_000);
    server.stream.push("end");
    await pass(0);
    expect([server.lists, server.watches, server.stream.options.resourceVersion]).toEqual([1, 2, "40"]);
  });

  test("all is read again at regular times", async () => {
    start({ resyncMs: 120_000 });
    await pass(0);
    expect(server.stream.options.timeoutSeconds).toBe(120);
    server.list = async () => ({ items: [object("b", "2")], resourceVersion: "50" });
    await pass(119_000);
    server.stream.push(bookmark("20"));
    await pass(1_000);
    server.stream.push("end");
    await pass(0);
    expect([server.lists, names(), changes.at(-1)]).toEqual([2, ["b"], "a 1→undefined"]);
  });

  test("asked to, it reads all anew at once, and the watch goes on", async () => {
    start();
    await pass(0);
    server.list = async () => ({ items: [object("b", "2"), object("d", "40")], resourceVersion: "50" });
    await informer.refresh();
    expect([server.lists, server.watches, names()]).toEqual([2, 1, ["b", "d"]]);
    server.list = async () => {
      throw fail(500, "InternalError");
    };
    await expect(informer.refresh()).rejects.toMatchObject({ code: 500 });
    expect(names()).toEqual(["b", "d"]);
    server.list = async () => {
      throw fail(404, "NotFound");
    };
    await informer.refresh();
    expect([names(), informer.isUnknown]).toEqual([["b", "d"], false]);
  });

  test("nothing comes after stop, and nothing stays open", async () => {
    start();
    await pass(0);
    const { stream } = server;
    await informer.stop();
    expect(stream.options.signal.aborted).toBe(true);
    stream.push({ type: "ADDED", object: object("c", "11") });
    await pass(600_000);
    expect([names(), server.lists, server.watches]).toEqual([["a", "b"], 1, 1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a listener that throws is logged, and the others hear the rest", async () => {
    start({
      onChange: (_, after) => {
        if (after?.metadata.name === "a") throw new Error("oh");
        changes.push("heard");
      },
    });
    await pass(0);
    expect(changes).toEqual(["heard", "state"]);
    expect(lines).toEqual(["Unexpected, on a change of gateways: oh"]);
  });
});

describe("trouble", () => {
  test.each([
    ["no answer", fail(0, "Timeout")],
    ["forbidden", fail(403, "Forbidden")],
    ["too many requests", fail(429, "TooManyRequests")],
    ["an error of the server", fail(500, "InternalError")],
    ["a page of a proxy", fail(0, "NotJSON")],
    ["a proxy's 404", fail(404, "NoStatus")],
  ])("%s: the objects stay, it says why, and asks at a bounded pace", async (_, error) => {
    server.read = async () => {
      throw error;
    };
    start({ resyncMs: 60_000 });
    await pass(0);
    const { list, watch } = server;
    server.list = () => Promise.reject(error);
    server.watch = () => error;
    const before = server.lists + server.watches;
    server.stream.push(error);
    await pass(60_000);
    expect(names()).toEqual(["a", "b"]);
    expect(informer.lastError).toContain("so it is");
    expect(lines).toHaveLength(1);
    expect(server.lists + server.watches - before).toBeLessThanOrEqual(9);
    await pass(3_600_000);
    expect(names()).toEqual(["a", "b"]);
    Object.assign(server, { list, watch });
    await pass(16_000 + 5_000);
    expect(informer.lastError).toBeUndefined();
    expect(lines.slice(1)).toEqual(["The gateways of the cluster are read again"]);
  });

  test("before the first list nothing counts as read", async () => {
    server.list = () => Promise.reject(fail(403, "Forbidden"));
    start();
    await pass(300_000);
    expect([informer.isSynced, informer.lastError, changes]).toEqual([false, expect.stringContaining("403"), []]);
  });

  test("410 in the stream, and 410 as the answer, read all again, and never in a hot loop", async () => {
    start();
    await pass(0);
    await pass(10_000);
    server.list = async () => ({ items: [object("a", "1"), object("c", "30")], resourceVersion: "31" });
    server.stream.push(fail(410, "Expired"));
    await pass(1_000);
    expect([names(), server.stream.options.resourceVersion, informer.lastError]).toEqual([["a", "c"], "31", undefined]);
    expect(changes.slice(-2)).toEqual(["b 2→undefined", "c undefined→30"]);
    server.watch = () => fail(410, "Expired");
    server.stream.push(fail(410, "Expired"));
    const before = server.lists;
    await pass(120_000);
    expect(server.lists - before).toBeLessThanOrEqual(14);
    expect(informer.lastError).toContain("410");
  });

  test("a watch that ends as soon as it began is no hot loop", async () => {
    server.watch = (stream) => {
      stream.push(bookmark("20"), "end");
      return stream;
    };
    start();
    await pass(120_000);
    expect(server.watches).toBeLessThanOrEqual(14);
  });

  test("a watch that falls silent is opened anew", async () => {
    start();
    await pass(0);
    await pass(80_000);
    server.stream.push(bookmark("20"));
    await pass(80_000);
    expect(server.watches).toBe(1);
    await pass(10_000);
    expect([server.watches, server.lists, server.streams[0]?.options.signal.aborted]).toEqual([2, 1, true]);
    expect([server.stream.options.resourceVersion, informer.lastError]).toEqual(["20", undefined]);
  });

  test("a server that asks for time gets it", async () => {
    server.list = () => Promise.reject(fail(429, "TooManyRequests", { retryAfterMs: 45_000 }));
    start();
    await pass(44_000);
    expect(server.lists).toBe(1);
    await pass(2_000);
    expect(server.lists).toBe(2);
  });
});

describe("a kind that the cluster does not know", () => {
  test("counts as read, has nothing, and is found when it comes", async () => {
    const { list } = server;
    server.list = () => Promise.reject(fail(404, "NoStatus"));
    start({ unknownRetryMs: 30_000 });
    await pass(0);
    expect([informer.isSynced, informer.isUnknown, changes, informer.lastError]).toEqual([
      true,
      true,
      ["state"],
      undefined,
    ]);
    await pass(300_000);
    expect(server.lists).toBe(11);
    server.list = list;
    await pass(30_000);
    expect([informer.isUnknown, names()]).toEqual([false, ["a", "b"]]);
  });

  test("is believed only on the second reading where objects are held", async () => {
    start({ unknownRetryMs: 30_000 });
    await pass(0);
    server.list = () => Promise.reject(fail(404, "NoStatus"));
    server.stream.push(fail(404, "NoStatus"));
    await pass(2_000);
    expect([names(), informer.lastError]).toEqual([
      ["a", "b"],
      expect.stringContaining("does not know gateways any more"),
    ]);
    await pass(30_000);
    expect([names(), informer.isUnknown, informer.lastError]).toEqual([[], true, undefined]);
    expect(changes.slice(-3)).toEqual(["a 1→undefined", "b 2→undefined", "state"]);
  });

  test("for a moment only, costs nothing", async () => {
    start({ unknownRetryMs: 30_000 });
    await pass(0);
    const { list } = server;
    server.list = () => Promise.reject(fail(404, "NoStatus"));
    server.stream.push(fail(404, "NoStatus"));
    await pass(2_000);
    server.list = list;
    await pass(30_000);
    server.list = () => Promise.reject(fail(404, "NoStatus"));
    server.stream.push(fail(404, "NoStatus"));
    await pass(2_000);
    expect(names()).toEqual(["a", "b"]);
  });
});
