import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { Mutex } from "../dial/mutex.ts";
import { CachingResolver } from "./caching-resolver.ts";
import { type DnsAnswer, type Family, queryResolver } from "./dns-over-https.ts";

const url = `http://127.0.0.1:${inject("gateways").resolver}/dns-query`;
const overHttps = new CachingResolver(
  (name, family, timeoutMs) => queryResolver(url, name, family, timeoutMs),
  new Mutex(),
);

describe("a name over HTTPS", () => {
  it.each([
    ["one.test", ["127.0.0.1"]],
    ["two.test", ["127.0.0.1", "127.0.0.9"]],
    ["alias.test", ["127.0.0.1"]],
    ["empty.test", []],
    ["no-such.test", []],
  ])("%s has the addresses %j", async (name, addresses) => {
    expect(await overHttps.resolve(name, 1_000, 1_000)).toEqual({ addresses, resolveMs: expect.any(Number) });
  });

  it.each([
    ["servfail.test", /SERVFAIL/],
    ["platform.test", /status 530/],
    ["silence.test", /within \d+ ms/],
  ])("%s is the resolver's trouble, not the name's", async (name, trouble) => {
    const startedAt = Date.now();
    const resolution = await overHttps.resolve(name, 300, 1_000);
    expect(resolution.addresses).toEqual([]);
    expect(resolution.trouble).toMatch(trouble);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  it("that asks a resolver which is not there is trouble too", async () => {
    const nobody = `http://127.0.0.1:${inject("gateways").closed}/`;
    const names = new CachingResolver((...question) => queryResolver(nobody, ...question), new Mutex());
    expect((await names.resolve("one.test", 500, 1_000)).trouble).toMatch(/could not be reached|status/);
  });
});

describe("the cache", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A resolver with scripted answers, which records its requests. */
  function told(answers: Record<Family, DnsAnswer>) {
    const asked: Family[] = [];
    const names = new CachingResolver(async (_, family) => {
      asked.push(family);
      return answers[family];
    }, new Mutex());
    return { asked, answers, resolve: () => names.resolve("x.test", 100, 10_000) };
  }
  const address = (data: string, ttlMs: number): DnsAnswer => ({ addresses: [data], ttlMs });

  it("keeps an answer for its TTL, at least 5 s and at most 60 s", async () => {
    const { asked, resolve } = told({ A: address("192.0.2.1", 1_000), AAAA: address("2001:db8::1", 3_600_000) });
    expect((await resolve()).addresses).toEqual(["192.0.2.1", "2001:db8::1"]);
    vi.setSystemTime(1_004_999);
    await resolve();
    expect(asked).toEqual(["A", "AAAA"]);
    vi.setSystemTime(1_005_000);
    await resolve();
    expect(asked).toEqual(["A", "AAAA", "A"]);
    vi.setSystemTime(1_060_000);
    await resolve();
    expect(asked).toEqual(["A", "AAAA", "A", "A", "AAAA"]);
  });

  it("serves what is stale for one interval when the resolver fails, and no longer", async () => {
    const { answers, resolve } = told({ A: address("192.0.2.1", 5_000), AAAA: { addresses: [], ttlMs: 5_000 } });
    await resolve();
    answers.A = { trouble: "down" };
    vi.setSystemTime(1_014_999);
    expect(await resolve()).toMatchObject({ addresses: ["192.0.2.1"] });
    vi.setSystemTime(1_015_000);
    expect(await resolve()).toMatchObject({ addresses: [], trouble: "down" });
  });

  it("gives the family that answered, and the trouble of the one that did not", async () => {
    const { resolve } = told({ A: address("192.0.2.1", 5_000), AAAA: { trouble: "down" } });
    expect(await resolve()).toMatchObject({ addresses: ["192.0.2.1"], trouble: "down" });
  });

  it("asks once for those who want one name at the same time, and one question at a time for others", async () => {
    let asking = 0;
    let most = 0;
    let questions = 0;
    const names = new CachingResolver(async () => {
      questions += 1;
      asking += 1;
      most = Math.max(most, asking);
      await Promise.resolve();
      asking -= 1;
      return address("192.0.2.1", 5_000);
    }, new Mutex());
    await Promise.all(["a", "a", "b", "c"].map((name) => names.resolve(name, 100, 1_000)));
    expect({ most, questions }).toEqual({ most: 1, questions: 6 });
  });
});
