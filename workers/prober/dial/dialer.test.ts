import { describe, expect, it } from "vitest";
import type { Finding, Question } from "../probe/probe-request.ts";
import { Dialler, MAX_HERE, type Ways } from "./dialer.ts";
import { Turn } from "./mutex.ts";

const { signal } = new AbortController();

const questionTo = (address: string): Question => ({
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

const found = ({ address }: Question): Finding => ({ reason: "Ok", phases: { totalMs: 1 }, address });

/** The object's own sockets hang for as long as the test runs: what is found, is found by loopbacks. */
const hanging: Pick<Ways, "connect" | "verify"> = {
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

function diallerOf(askTogether: Ways["askTogether"]) {
  const alone: string[] = [];
  const askElsewhere: Ways["askElsewhere"] = async (question) => {
    alone.push(question.address);
    return found(question);
  };
  const dialler = new Dialler({ ...hanging, askElsewhere, askTogether });
  dialler.mostTogether = 5;
  const ask = (standing: "proven" | "suspect", count: number) =>
    Array.from({ length: count }, (_, n) => {
      const address = `203.0.113.${n}`;
      return dialler.ask(address, questionTo(address), standing, signal);
    });
  return { ask, alone };
}

describe("proven addresses, where five may be dialled together", () => {
  it("go in groups, each with its own finding, and the first ones over the object's own sockets", async () => {
    const groups: string[][] = [];
    const { ask, alone } = diallerOf(async (questions) => {
      groups.push(questions.map(({ address }) => address));
      return questions.map(found);
    });
    const findings = await Promise.all(ask("proven", 20).slice(MAX_HERE));
    expect(findings.map((finding) => finding?.address)).toEqual(
      Array.from({ length: 18 }, (_, n) => `203.0.113.${n + MAX_HERE}`),
    );
    expect(groups.map((group) => group.length).sort()).toEqual([3, 5, 5, 5]);
    expect(alone).toEqual([]);
  });

  it("are asked one by one where the loopback is refused", async () => {
    const { ask, alone } = diallerOf(() => Promise.reject(new Error("Too many Worker invocations.")));
    const findings = await Promise.all(ask("proven", 12).slice(MAX_HERE));
    expect(findings.every((finding) => finding?.reason === "Ok")).toBe(true);
    expect(alone).toHaveLength(10);
  });

  it("are the only ones: a suspect may hang, and holds up nobody", async () => {
    const { ask, alone } = diallerOf(() => Promise.reject(new Error("no suspect is asked so")));
    await Promise.all(ask("suspect", 6));
    expect(alone).toHaveLength(6);
  });
});

describe("where loopbacks hang or are refused", () => {
  const never = () => new Promise<never>(() => undefined);

  it("a canary is asked though what hangs has all slots: else nobody could tell whose trouble that is", async () => {
    const askElsewhere: Ways["askElsewhere"] = (question) =>
      question.address === "203.0.113.99" ? Promise.resolve(found(question)) : new Promise(() => undefined);
    const dialler = new Dialler({ ...hanging, askElsewhere, askTogether: never });
    for (let n = 0; n < 20; n += 1) {
      void dialler.ask(`${n}`, questionTo(`203.0.113.${n}`), n % 2 === 0 ? "proven" : "suspect", signal);
    }
    const findings = await Promise.all([1, 2].map(() => dialler.askCanary(questionTo("203.0.113.99"))));
    expect(findings.map((finding) => finding?.reason)).toEqual(["Ok", "Ok"]);
  });

  it("a canary whose loopback never returns does not keep the resolver's turn", async () => {
    const turn = new Turn();
    const dialler = new Dialler({ ...hanging, askElsewhere: () => new Promise(() => {}), askTogether: never }, turn);
    for (let n = 0; n < 20; n += 1) void dialler.ask(`${n}`, questionTo(`203.0.113.${n}`), "suspect", signal);
    for (let n = 0; n < 5; n += 1) void dialler.ask(`p${n}`, questionTo(`203.0.113.${n}`), "proven", signal);
    const asking = dialler.askCanary({ ...questionTo("203.0.113.99"), timeoutMs: 10 });
    expect(await asking).toBeUndefined();
    expect(await turn.take(async () => "free")).toBe("free");
  });

  it("one dial that hangs is counted once by confirmations, however often they come", async () => {
    const refuse = () => Promise.reject(new Error("Too many Worker invocations."));
    const dialler = new Dialler({ ...hanging, askElsewhere: refuse, askTogether: refuse });
    const question = { ...questionTo("203.0.113.1"), timeoutMs: 20 };
    const reasons: unknown[] = [];
    for (const asked of ["doubted", "doubted", "suspect"] as const) {
      reasons.push((await dialler.ask("a", question, asked, signal))?.reason);
    }
    expect(reasons).toEqual(["ConnectTimeout", undefined, "ConnectTimeout"]);
  });
});
