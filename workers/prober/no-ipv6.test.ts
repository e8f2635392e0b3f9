import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, inject, it } from "vitest";
import type { Reason } from "../../shared/reason.ts";
import { assign, assignmentOf, byId, freshProber, inProber, probeOf, standIn } from "../../test/support/prober.ts";
import { looksLikeNoIPv6, withoutIPv6Failures } from "./check/canaries.ts";
import type { CheckResult } from "./check/check.ts";
import type { ProberDependencies } from "./dependencies.ts";

const { named } = inject("gateways");
const phases = { totalMs: 1 };
const FOUR = "203.0.113.10";
const SIX = "2001:db8::10";
const CANARIES = ["2001:db8::c1", "2001:db8::c2"];

/** A check whose addresses said this; the first is the one that decided. */
function checked(first: [string, Reason], ...others: [string, Reason][]): CheckResult {
  const probeResults = [first, ...others];
  const [address, reason] = first;
  return {
    observation: { reason, at: 5, phases, address },
    probeResults: probeResults.map(([address, reason]) => ({ address, reason, phases })),
  };
}

describe("a round looks like a place without IPv6", () => {
  it.each<[string, CheckResult[], boolean]>([
    ["when its only dial to it fails", [checked([SIX, "ConnectFailed"]), checked([FOUR, "Ok"])], true],
    ["when all of them do", [checked([SIX, "ConnectTimeout"]), checked(["2001:db8::2", "ConnectFailed"])], true],
    ["not when one was answered", [checked([SIX, "ConnectFailed"]), checked(["2001:db8::2", "Ok"])], false],
    ["not when one was answered badly", [checked([SIX, "ConnectFailed"]), checked(["::2", "UnexpectedStatus"])], false],
    ["not when only IPv4 fails", [checked([FOUR, "ConnectFailed"])], false],
    ["not when nothing was dialled", [checked(["", "NoAddress"])], false],
  ])("%s", (_, results, looks) => {
    expect(looksLikeNoIPv6(results)).toBe(looks);
  });
});

describe("a check there", () => {
  it.each<[string, CheckResult, "Any" | "All", Reason]>([
    ["of an IPv6 leaf has no outcome", checked([SIX, "ConnectFailed"]), "Any", "ProberUnreachable"],
    ["of an IPv4 leaf counts", checked([FOUR, "ConnectFailed"]), "Any", "ConnectFailed"],
    ["of a name is as good as IPv4 is", checked([FOUR, "Ok"], [SIX, "ConnectFailed"]), "Any", "Ok"],
    ["with neither has none", checked([FOUR, "ConnectFailed"], [SIX, "ConnectFailed"]), "Any", "ProberUnreachable"],
    ["that wants all has none", checked([SIX, "ConnectFailed"], [FOUR, "Ok"]), "All", "ProberUnreachable"],
    ["but fails where IPv4 does", checked([FOUR, "ConnectFailed"], [SIX, "ConnectFailed"]), "All", "ConnectFailed"],
  ])("%s", (_, result, policy, reason) => {
    expect(withoutIPv6Failures(result, policy).observation).toMatchObject({ reason, at: 5, phases });
  });
});

describe("a prober", () => {
  /** Three rounds in which no dial to an IPv6 leaf is answered, and those to the canaries as given. */
  async function rounds(canariesAnswer: boolean) {
    const stub = freshProber();
    const good = probeOf("four", named.good);
    const six = { ...good, id: "six", target: { ...good.target, leaf: SIX } };
    await assign(stub, assignmentOf(1, [good, six]));
    const asked: string[] = [];
    await inProber(stub, (prober) => {
      const canaries = ["127.0.0.9:1", ...CANARIES.map((address) => `[${address}]:443`)].join();
      Object.assign(prober, { env: { ...Reflect.get(prober, "env"), CANARIES: canaries } });
      const { probeInLoopback } = prober.dependencies;
      const answer: ProberDependencies["probeInLoopback"] = async (question) => {
        if (question.address === "127.0.0.1") return probeInLoopback(question);
        asked.push(question.address);
        const isUp = canariesAnswer && question.address !== SIX;
        return { reason: isUp ? "Ok" : "ConnectFailed", phases, address: question.address };
      };
      prober.dependencies.probeInLoopback = answer;
    });
    const reports = await standIn(stub);
    for (let n = 0; n < 3; n += 1) await runDurableObjectAlarm(stub);
    expect(asked).toEqual([SIX, ...CANARIES, SIX, ...CANARIES, SIX, ...CANARIES]);
    return byId(reports.at(-1));
  }

  it("without IPv6 says nothing of an IPv6 leaf, and counts its IPv4 ones", async () => {
    const words = await rounds(false);
    expect(words.six).toMatchObject({ observation: { reason: "ProberUnreachable" }, counts: { failures: 0 } });
    expect(words.six).not.toHaveProperty("checkedAt");
    expect(words.four).toMatchObject({ counts: { successes: 3, says: "Healthy" } });
  });

  it("with IPv6 finds that leaf dead", async () => {
    expect((await rounds(true)).six).toMatchObject({ counts: { failures: 3, says: "Unhealthy" } });
  });
});
