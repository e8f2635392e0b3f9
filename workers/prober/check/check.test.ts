import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, inject, it } from "vitest";
import type { Probe } from "../../../shared/model/probe.ts";
import { startOwnGateway } from "../../../test/support/own-gateway.ts";
import { assign, assignmentOf, byId, freshProber, inProber, probeOf, standIn } from "../../../test/support/prober.ts";
import type { ProberDependencies } from "../dependencies.ts";

const { named, closed } = inject("gateways");

function leaf(id: string, name: string, port: number, change: Partial<Probe> = {}): Probe {
  const probe = probeOf(id, port, change);
  return { ...probe, target: { ...probe.target, leaf: name } };
}

const policy = (addressPolicy: "Any" | "All") => ({
  expectation: { statuses: [{ from: 200, to: 299 }], addressPolicy },
});

async function observe(probes: Probe[], doubles: Partial<ProberDependencies> = {}) {
  const stub = freshProber();
  await assign(stub, assignmentOf(1, probes));
  const reports = await standIn(stub, doubles);
  await runDurableObjectAlarm(stub);
  return byId(reports[0]);
}

describe("a leaf that is a host name", () => {
  it("is resolved, every address asked, and the policy decides", async () => {
    const words = await observe([
      leaf("one", "one.test", named.good),
      leaf("any", "two.test", named.good, policy("Any")),
      leaf("all", "two.test", named.good, policy("All")),
      leaf("empty", "empty.test", named.good),
      leaf("gone", "no-such.test", named.good),
      leaf("servfail", "servfail.test", named.good),
      leaf("platform", "platform.test", named.good),
    ]);
    expect(words).toMatchObject({
      one: { observation: { reason: "Ok", address: "127.0.0.1", phases: { resolveMs: expect.any(Number) } } },
      any: { observation: { reason: "Ok", address: "127.0.0.1" } },
      all: { observation: { reason: "ConnectFailed", address: "127.0.0.9" } },
      empty: { observation: { reason: "NoAddress" }, counts: { failures: 1 } },
      gone: { observation: { reason: "NoAddress" }, counts: { failures: 1 } },
      servfail: { observation: { reason: "ResolverFailed" }, counts: { failures: 0 } },
      platform: { observation: { reason: "ResolverFailed" }, counts: { failures: 0 } },
    });
    expect(words.platform).not.toHaveProperty("checkedAt");
  });
});

describe("a resolver that is slow", () => {
  it("takes no probe's time beyond half of it, also where the answer is shared with one that has more", async () => {
    const asked: number[] = [];
    const words = await observe(
      [
        leaf("patient", "one.test", named.good, { timeoutMs: 5_000 }),
        leaf("hasty", "one.test", named.good, { timeoutMs: 400 }),
      ],
      {
        queryFamily: async (_, family) => {
          await scheduler.wait(family === "A" ? 500 : 0);
          return { addresses: family === "A" ? ["127.0.0.1"] : [], ttlMs: 60_000 };
        },
        probeInLoopback: (question) => {
          asked.push(question.timeoutMs);
          return Promise.resolve({ reason: "Ok", phases: { connectMs: 1, totalMs: 1 }, address: question.address });
        },
      },
    );
    expect(words.hasty).toMatchObject({ observation: { reason: "Ok" } });
    expect(Math.min(...asked)).toBeGreaterThanOrEqual(200);
  });
});

describe("a leaf that may not be dialled", () => {
  it("is not, and counts neither way", async () => {
    const refuse = () => {
      throw new Error("dialled");
    };
    const words = await observe([leaf("cloudflare", "104.16.0.1", 80), leaf("multicast", "224.0.0.1", 80)], {
      connect: refuse,
      probeInLoopback: refuse,
    });
    for (const id of ["cloudflare", "multicast"]) {
      expect(words[id]).toMatchObject({
        observation: { reason: "NotProbeable" },
        counts: { failures: 0, successes: 0 },
      });
      expect(words[id]?.observation?.message).toMatch(/cannot be probed: it is /);
    }
  });
});

describe("the Host header", () => {
  it("is the host of the probe with its port, whatever address is dialled", async () => {
    const { port, seen } = await startOwnGateway("forShop");
    const own = leaf("own", "127.0.0.1", port);
    const other = { ...own, id: "other", target: { ...own.target, host: "other.test" } };
    expect(await observe([own, other])).toMatchObject({
      own: { observation: { reason: "UnexpectedStatus", httpStatus: 404 } },
      other: { observation: { reason: "UnexpectedStatus", httpStatus: 404 } },
    });
    const { lastRequest } = await seen();
    expect(lastRequest).toContain(`\r\nHost: other.test:${port}\r\n`);
    expect(lastRequest).toMatch(/\r\nUser-Agent: Vedette\/[\d.]+ \(\+https:.*; region=weur\)\r\n/);
  });
});

describe("header secrets that cannot be opened", () => {
  it("rest the probe: nothing is sent and nothing counts", async () => {
    const headers = { sealed: { keyId: "gone", iv: "", ciphertext: "" }, digest: "d" };
    const words = await observe([leaf("a", "127.0.0.1", closed, { headers })]);
    expect(words.a).toMatchObject({ observation: { reason: "HeadersUnreadable" }, counts: { failures: 0 } });
  });
});

describe("a round in which most dials fail", () => {
  const dark = [1, 2, 3].map((n) => leaf(`dark-${n}`, `127.0.0.${n}`, closed));
  const canaries = "127.0.0.8:1,127.0.0.9:2";

  async function withCanaries(areUp: boolean) {
    const stub = freshProber();
    await assign(stub, assignmentOf(1, [...dark, leaf("good", "127.0.0.1", named.good)]));
    const asked: string[] = [];
    await inProber(stub, (prober) => {
      Object.assign(prober, { env: { ...Reflect.get(prober, "env"), CANARIES: canaries } });
      const { probeInLoopback } = prober.dependencies;
      const answer: ProberDependencies["probeInLoopback"] = async (question) => {
        if (!canaries.includes(`${question.address}:${question.port}`)) return probeInLoopback(question);
        asked.push(question.address);
        return { reason: areUp ? "Ok" : "ConnectFailed", phases: { totalMs: 1 }, address: question.address };
      };
      prober.dependencies.probeInLoopback = answer;
    });
    const reports = await standIn(stub);
    await runDurableObjectAlarm(stub);
    expect(asked).toEqual(["127.0.0.8", "127.0.0.9"]);
    return byId(reports[0]);
  }

  it("is indeterminate when the canaries fail too, but for what answered", async () => {
    const words = await withCanaries(false);
    expect(words["dark-1"]).toMatchObject({ observation: { reason: "ProberUnreachable" }, counts: { failures: 0 } });
    expect(words.good).toMatchObject({ observation: { reason: "Ok" }, counts: { successes: 1 } });
  });

  it("counts as it is when the canaries answer", async () => {
    const words = await withCanaries(true);
    expect(words["dark-1"]).toMatchObject({ observation: { reason: "ConnectFailed" }, counts: { failures: 1 } });
  });
});
