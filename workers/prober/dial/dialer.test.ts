import { describe, expect, it } from "vitest";
import type { ProbeRequest, ProbeResult } from "../probe/probe-request.ts";
import { Dialer, type DialerDependencies, MAX_OWN_SOCKETS } from "./dialer.ts";
import { Mutex } from "./mutex.ts";

const { signal } = new AbortController();

const questionTo = (address: string): ProbeRequest => ({
  protocol: "TCP",
  address,
  port: 443,
  host: "shop.test",
  path: "/",
  expectation: { statuses: [], body: undefined },
  headers: {},
  userAgent: "test",
  timeoutMs: 1_000,
});

const found = ({ address }: ProbeRequest): ProbeResult => ({ reason: "Ok", phases: { totalMs: 1 }, address });

/** The object's own sockets hang for as long as the test runs: what is found, is found by loopbacks. */
const hanging: Pick<DialerDependencies, "connect" | "verify"> = {
  connect: () => ({
    opened: new Promise(() => undefined),
    closed: new Promise(() => undefined),
    readable: new ReadableStream(),
    writable: new WritableStream(),
    close: () => new Promise(() => undefined),
  }),
  verify: () => {
    throw new Error("nothing is verified here");
  },
};

function dialerOf(probeBatchInLoopback: DialerDependencies["probeBatchInLoopback"]) {
  const alone: string[] = [];
  const probeInLoopback: DialerDependencies["probeInLoopback"] = async (question) => {
    alone.push(question.address);
    return found(question);
  };
  const dialer = new Dialer({ ...hanging, probeInLoopback, probeBatchInLoopback });
  dialer.batchSize = 5;
  const ask = (standing: "proven" | "suspect", count: number) =>
    Array.from({ length: count }, (_, n) => {
      const address = `203.0.113.${n}`;
      return dialer.ask(address, questionTo(address), standing, signal);
    });
  return { ask, alone };
}

describe("proven addresses, where five may be dialled together", () => {
  it("go in groups, each with its own probeResult, and the first ones over the object's own sockets", async () => {
    const groups: string[][] = [];
    const { ask, alone } = dialerOf(async (questions) => {
      groups.push(questions.map(({ address }) => address));
      return questions.map(found);
    });
    const probeResults = await Promise.all(ask("proven", 20).slice(MAX_OWN_SOCKETS));
    expect(probeResults.map((probeResult) => probeResult?.address)).toEqual(
      Array.from({ length: 18 }, (_, n) => `203.0.113.${n + MAX_OWN_SOCKETS}`),
    );
    expect(groups.map((group) => group.length).sort()).toEqual([3, 5, 5, 5]);
    expect(alone).toEqual([]);
  });

  it("are asked one by one where the loopback is refused", async () => {
    const { ask, alone } = dialerOf(() => Promise.reject(new Error("Too many Worker invocations.")));
    const probeResults = await Promise.all(ask("proven", 12).slice(MAX_OWN_SOCKETS));
    expect(probeResults.every((probeResult) => probeResult?.reason === "Ok")).toBe(true);
    expect(alone).toHaveLength(10);
  });

  it("are the only ones: a suspect may hang, and holds up nobody", async () => {
    const { ask, alone } = dialerOf(() => Promise.reject(new Error("no suspect is asked so")));
    await Promise.all(ask("suspect", 6));
    expect(alone).toHaveLength(6);
  });
});

describe("where loopbacks hang or are refused", () => {
  const never = () => new Promise<never>(() => undefined);

  it("a canary is asked though what hangs has all slots: else nobody could tell whose trouble that is", async () => {
    const probeInLoopback: DialerDependencies["probeInLoopback"] = (question) =>
      question.address === "203.0.113.99" ? Promise.resolve(found(question)) : new Promise(() => undefined);
    const dialer = new Dialer({ ...hanging, probeInLoopback, probeBatchInLoopback: never });
    for (let n = 0; n < 20; n += 1) {
      void dialer.ask(`${n}`, questionTo(`203.0.113.${n}`), n % 2 === 0 ? "proven" : "suspect", signal);
    }
    const probeResults = await Promise.all([1, 2].map(() => dialer.probeCanary(questionTo("203.0.113.99"))));
    expect(probeResults.map((probeResult) => probeResult?.reason)).toEqual(["Ok", "Ok"]);
  });

  it("a canary whose loopback never returns does not keep the resolver's mutex", async () => {
    const mutex = new Mutex();
    const dialer = new Dialer(
      { ...hanging, probeInLoopback: () => new Promise(() => {}), probeBatchInLoopback: never },
      mutex,
    );
    for (let n = 0; n < 20; n += 1) void dialer.ask(`${n}`, questionTo(`203.0.113.${n}`), "suspect", signal);
    for (let n = 0; n < 5; n += 1) void dialer.ask(`p${n}`, questionTo(`203.0.113.${n}`), "proven", signal);
    const asking = dialer.probeCanary({ ...questionTo("203.0.113.99"), timeoutMs: 10 });
    expect(await asking).toBeUndefined();
    expect(await mutex.runExclusive(async () => "free")).toBe("free");
  });

  it("one dial that hangs is counted once by confirmations, however often they come", async () => {
    const refuse = () => Promise.reject(new Error("Too many Worker invocations."));
    const dialer = new Dialer({ ...hanging, probeInLoopback: refuse, probeBatchInLoopback: refuse });
    const question = { ...questionTo("203.0.113.1"), timeoutMs: 20 };
    const reasons: unknown[] = [];
    for (const asked of ["doubted", "doubted", "suspect"] as const) {
      reasons.push((await dialer.ask("a", question, asked, signal))?.reason);
    }
    expect(reasons).toEqual(["ConnectTimeout", undefined, "ConnectTimeout"]);
  });
});
