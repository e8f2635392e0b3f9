import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Change, ObjectCache } from "./cache.ts";
import type { KubeObject } from "./object.ts";

const object = (name: string, version: string, uid = `${name}-1`): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "web", resourceVersion: version, uid },
});
const names = (cache: ObjectCache) =>
  cache.list().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);
const told = (changes: readonly Change[]) =>
  changes.map(
    ({ before, after }) => `${before?.metadata.resourceVersion ?? "-"}→${after?.metadata.resourceVersion ?? "-"}`,
  );
const filled = (...items: KubeObject[]) => {
  const cache = new ObjectCache();
  cache.replaceAll(items, "10", undefined);
  return cache;
};

describe("a list", () => {
  test("tells what came, changed and went, with the last known object, and not what stayed", () => {
    const cache = filled(object("a", "1"), object("b", "2"), object("c", "3"));
    const changes = cache.replaceAll(
      [object("a", "1"), object("b", "12"), object("d", "13")],
      "14",
      cache.newestVersion,
    );
    expect(told(changes).sort()).toEqual(["-→13", "2→12", "3→-"]);
    expect(names(cache)).toEqual(["a@1", "b@12", "d@13"]);
    expect(cache.resourceVersion).toBe("14");
  });

  test("does not undo an own write that is newer", () => {
    const cache = filled(object("a", "1"), object("b", "2"));
    const newestBefore = cache.newestVersion;
    cache.put(object("a", "15"));
    cache.put(object("new", "16"));
    expect(told(cache.replaceAll([object("a", "12")], "14", newestBefore))).toEqual(["2→-"]);
    expect(names(cache)).toEqual(["a@15", "new@16"]);
  });

  test("of a restored etcd, whose versions begin again, is taken whole", () => {
    const cache = filled(object("a", "8"), object("b", "9"));
    expect(told(cache.replaceAll([object("a", "3")], "5", cache.newestVersion)).sort()).toEqual(["8→3", "9→-"]);
    expect(told(cache.applyEvent({ type: "MODIFIED", object: object("a", "6") }))).toEqual(["3→6"]);
  });

  test("with an object of another uid under an old name tells that one went and another came", () => {
    const cache = filled(object("a", "1", "u1"));
    expect(told(cache.replaceAll([object("a", "12", "u2")], "14", cache.newestVersion))).toEqual(["1→-", "-→12"]);
  });
});

describe("a watch", () => {
  test("that repeats or is overtaken changes nothing", () => {
    const cache = filled(object("a", "5"));
    cache.put(object("a", "15"));
    expect(cache.applyEvent({ type: "MODIFIED", object: object("a", "12") })).toEqual([]);
    expect(cache.applyEvent({ type: "MODIFIED", object: object("a", "15") })).toEqual([]);
    expect(told(cache.applyEvent({ type: "DELETED", object: object("a", "16") }))).toEqual(["15→-"]);
    expect(cache.applyEvent({ type: "DELETED", object: object("a", "16") })).toEqual([]);
    expect(cache.resourceVersion).toBe("16");
  });

  test("that tells of the end of a former object leaves the new one", () => {
    const cache = filled(object("a", "5", "u1"));
    cache.put(object("a", "15", "u2"));
    expect(cache.applyEvent({ type: "DELETED", object: object("a", "12", "u1") })).toEqual([]);
    expect(names(cache)).toEqual(["a@15"]);
  });

  test("goes on from a bookmark", () => {
    const cache = filled(object("a", "5"));
    expect(cache.applyEvent({ type: "BOOKMARK", object: { metadata: { resourceVersion: "99" } } })).toEqual([]);
    expect(cache.resourceVersion).toBe("99");
  });
});

describe("an own write's answer", () => {
  test("does not bring back what the watch saw deleted since", () => {
    const cache = filled(object("a", "5"));
    cache.applyEvent({ type: "DELETED", object: object("a", "16") });
    expect(cache.put(object("a", "15"))).toEqual([]);
    expect(told(cache.put(object("a", "17")))).toEqual(["-→17"]);
  });

  test("of versions that are no numbers: the newest read wins", () => {
    const cache = filled(object("a", "x"));
    expect(told(cache.put(object("a", "y")))).toEqual(["x→y"]);
    expect(told(cache.applyEvent({ type: "MODIFIED", object: object("a", "z") }))).toEqual(["y→z"]);
  });
});

/** A server's history: at each version one object is written or deleted. */
const history = fc.array(fc.record({ name: fc.constantFrom("a", "b", "c"), isDeleted: fc.boolean() }), {
  minLength: 1,
  maxLength: 30,
});

test("whatever overtakes what, the cache never goes back and ends as the server is", () => {
  fc.assert(
    fc.property(history, fc.infiniteStream(fc.nat({ max: 9 })), (writes, choices) => {
      const choose = () => choices.next().value as number;
      const at = (version: number) => {
        const state = new Map<string, KubeObject>();
        for (const [index, { name, isDeleted }] of writes.slice(0, version).entries()) {
          if (isDeleted) state.delete(name);
          else state.set(name, object(name, `${index + 1}`, "u"));
        }
        return state;
      };
      const cache = new ObjectCache();
      const seen = new Map<string, number>();
      const check = (changes: readonly Change[]) => {
        for (const { after } of changes) {
          if (!after) continue;
          const version = Number(after.metadata.resourceVersion);
          expect(version).toBeGreaterThan(seen.get(after.metadata.name) ?? 0);
          seen.set(after.metadata.name, version);
        }
      };
      const start = Math.min(choose(), writes.length);
      check(cache.replaceAll([...at(start).values()], `${start}`, undefined));
      for (let version = start + 1; version <= writes.length; version++) {
        const write = writes[version - 1]!;
        const written = object(write.name, `${version}`, "u");
        const answer = choose();
        // An answer comes before its event, or after it, or never.
        if (!write.isDeleted && answer < 3) check(cache.put(written));
        if (choose() === 0) check(cache.replaceAll([...at(version).values()], `${version}`, cache.newestVersion));
        check(cache.applyEvent({ type: write.isDeleted ? "DELETED" : "MODIFIED", object: written }));
        if (!write.isDeleted && answer > 6) check(cache.put(written));
      }
      expect(names(cache).sort()).toEqual(
        [...at(writes.length).values()].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort(),
      );
    }),
  );
});
