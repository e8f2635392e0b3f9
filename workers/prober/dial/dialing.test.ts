import { connect } from "cloudflare:sockets";
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, inject, it } from "vitest";
import type { ProbeReport, Report } from "../../../shared/model/messages/report.ts";
import type { Probe } from "../../../shared/model/probe.ts";
import { bestOf } from "../../../test/support/best-of.ts";
import { startOwnGateway } from "../../../test/support/own-gateway.ts";
import { assign, assignmentOf, brief, byId, freshProber, probeOf, standIn } from "../../../test/support/prober.ts";
import { free, reach } from "../../../test/support/reach.ts";
import type { ProberDependencies } from "../dependencies.ts";
import type { Connect, Connection } from "./connection.ts";
import { MAX_OWN_SOCKETS } from "./dialer.ts";
import { probeAddress } from "./probe-address.ts";

const gateways = inject("gateways");

/** The platform lets six wait at once, and one of them is the resolver's. */
const MAX_PENDING = 5;
const { named, blackHoles, closed } = gateways;

/** Counts how many dials are pending, and throws at the first that is too many. */
function countingConnect(): { connect: Connect; most: () => number } {
  let pending = 0;
  let most = 0;
  return {
    most: () => most,
    connect: (address) => {
      if (pending >= MAX_PENDING) throw new Error("one dial too many");
      pending += 1;
      most = Math.max(most, pending);
      const socket: Connection = connect(address);
      let isOver = false;
      const over = () => {
        if (!isOver) pending -= 1;
        isOver = true;
      };
      const opened = socket.opened.catch((error: unknown) => {
        over();
        throw error;
      });
      opened.catch(() => undefined);
      return {
        opened,
        writable: socket.writable,
        readable: watched(socket.readable, over),
        close: () => close(socket, over),
      };
    },
  };
}

/** A dial that was closed counts until it opens: that is when the platform frees its slot. */
function close(socket: Connection, over: () => void): Promise<void> {
  socket.opened.then(over, over);
  return socket.close();
}

function watched(readable: ReadableStream<Uint8Array>, onFirst: () => void): ReadableStream<Uint8Array> {
  const reader = readable.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        onFirst();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Dials that nobody ever answers. */
function hangingConnect(): { connect: Connect; dials: () => number } {
  let dials = 0;
  return {
    dials: () => dials,
    connect: () => {
      dials += 1;
      return {
        opened: new Promise(() => undefined),
        readable: new ReadableStream(),
        writable: new WritableStream(),
        close: () => new Promise(() => undefined),
      };
    },
  };
}

const repeat = (count: number, name: string, port: number, change: Partial<Probe> = {}) =>
  Array.from({ length: count }, (_, n) => probeOf(`${name}-${n}`, port, change));

/** Runs one round, and returns the last result of each probe, with the observation of any of its reports. */
async function round(stub: ReturnType<typeof freshProber>, doubles: Partial<ProberDependencies> = {}): Promise<Report> {
  const reports = await standIn(stub, doubles);
  await runDurableObjectAlarm(stub);
  const last = reports.at(-1) as Report;
  expect(new Set(reports.map(({ roundAt }) => roundAt)).size).toBe(1);
  const observations = new Map(
    reports
      .flatMap(({ probes }) => probes.map(({ id, observation }) => [id, observation] as const))
      .filter(([, observation]) => observation !== undefined),
  );
  const probes = last.probes.map((probe) => ({ ...probe, observation: observations.get(probe.id) }));
  return { ...last, probes };
}

describe("28 mixed probes", () => {
  const probes = [
    ...repeat(12, "good", named.good),
    ...repeat(3, "chunked", named.chunked),
    ...repeat(2, "huge", named.gigabyteBody),
    ...repeat(2, "bad", named.unavailable),
    ...repeat(2, "silent", named.silent, brief),
    ...repeat(1, "reset", named.resets),
    ...repeat(1, "closed", closed),
    ...repeat(1, "trickle", named.tricklingBody, brief),
    ...blackHoles.slice(0, 4).map((port, n) => probeOf(`hole-${n}`, port, brief)),
  ];

  it("are all asked, with at most five dials pending, and leave an object that can be evicted within 12 s", async () => {
    expect(probes).toHaveLength(28);
    const stub = freshProber();
    const { connect: counting, most } = countingConnect();
    await assign(stub, assignmentOf(1, probes));
    const probeInLoopback: ProberDependencies["probeInLoopback"] = (question) =>
      probeAddress({ ...reach, connect: counting }, question, free);
    const words = byId(await round(stub, { connect: counting, probeInLoopback }));
    expect(most()).toBeLessThanOrEqual(MAX_PENDING);
    expect(
      Object.values(words)
        .map((word) => word.observation?.reason)
        .filter((reason) => reason === "Ok"),
    ).toHaveLength(17);
    const faults = ["bad-0", "silent-0", "reset-0", "closed-0", "trickle-0", "hole-0"].map(
      (id) => words[id]?.observation?.reason,
    );
    expect(faults).toEqual([
      "UnexpectedStatus",
      "ResponseTimeout",
      "ConnectionReset",
      "ConnectFailed",
      "ResponseTimeout",
      "ConnectTimeout",
    ]);
  });

  it("never have more than five dials pending in warm rounds either, when most go at once", async () => {
    const stub = freshProber();
    const { connect: counting, most } = countingConnect();
    const warm = probes.filter(({ id }) => !id.startsWith("hole"));
    await assign(stub, assignmentOf(1, warm));
    const probeInLoopback: ProberDependencies["probeInLoopback"] = (question) =>
      probeAddress({ ...reach, connect: counting }, question, free);
    const ok: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      const report = await round(stub, { connect: counting, probeInLoopback });
      ok.push(report.probes.filter(({ observation }) => observation?.reason === "Ok").length);
    }
    expect(ok).toEqual([17, 17, 17, 17]);
    expect(most()).toBe(MAX_PENDING);
  });

  it("leave nothing behind: the object can be evicted within 12 s, after a cold and after a warm round", async () => {
    const stub = freshProber();
    await assign(stub, assignmentOf(1, probes));
    for (let n = 0; n < 2; n += 1) {
      await round(stub);
      await round(stub);
      const startedAt = Date.now();
      await evictDurableObject(stub);
      expect(Date.now() - startedAt).toBeLessThan(12_000);
    }
  });
});

describe("12 large bodies at once, of which only the status matters", () => {
  it("are all ok: what is not read is let go", async () => {
    const stub = freshProber();
    await assign(stub, assignmentOf(1, repeat(12, "huge", named.endlessBody)));
    for (let n = 0; n < 3; n += 1) {
      const { probes } = await round(stub);
      expect(probes.map(({ observation }) => observation?.reason)).toEqual(Array.from({ length: 12 }, () => "Ok"));
    }
  });
});

const atOf = (word: ProbeReport | undefined) => word?.observation?.at ?? Number.NaN;

describe("leaves that hang", () => {
  it("never have more than five dials pending, counted by the gateway", async () => {
    const stub = freshProber();
    const { port, seen } = await startOwnGateway("silent");
    await assign(stub, assignmentOf(1, repeat(12, "silent", port, { timeoutMs: 200 })));
    await round(stub);
    const { mostOpen } = await seen();
    expect(mostOpen).toBeGreaterThan(1);
    expect(mostOpen).toBeLessThanOrEqual(MAX_PENDING);
  });

  it("that are six, and black-holed, do not delay the healthy ones of the shard", async () => {
    const healthy = repeat(20, "good", named.good);
    const holes = blackHoles.slice(0, 6).map((port, n) => probeOf(`hole-${n}`, port, { timeoutMs: 2_500 }));
    // A delay by the holes comes in every try; a delay by a busy machine does not.
    const slowestMs = await bestOf(5, 2_399, async () => {
      const stub = freshProber();
      await assign(stub, assignmentOf(1, healthy));
      await round(stub);
      await assign(stub, assignmentOf(2, [...holes, ...healthy]));
      const report = await round(stub);
      const words = byId(report);
      for (const { id } of healthy) expect(words[id]?.counts).toMatchObject({ successes: 2 });
      for (const { id } of holes) expect(words[id]?.observation?.reason).toBe("ConnectTimeout");
      return Math.max(...healthy.map(({ id }) => atOf(words[id]) - report.roundAt));
    });
    expect(slowestMs).toBeLessThan(2_400);
  });

  it("and were healthy until now delay the others by one timeout at most", async () => {
    const probes = [...repeat(6, "dark", closed, { timeoutMs: 400 }), ...repeat(10, "good", named.good)];
    const probeInLoopback: ProberDependencies["probeInLoopback"] = async (question) => {
      if (question.port !== closed) return probeAddress(reach, question, free);
      await new Promise((resolve) => setTimeout(resolve, question.timeoutMs));
      return { reason: "ConnectTimeout", phases: { totalMs: question.timeoutMs }, address: question.address };
    };
    const hanging = hangingConnect();
    const dialled: Connect = (address) => (address.port === closed ? hanging.connect(address) : connect(address));
    const slowestMs = await bestOf(5, 1_499, async () => {
      const stub = freshProber();
      await assign(stub, assignmentOf(1, probes));
      await round(stub, { probeInLoopback: answered });
      const dialsBefore = hanging.dials();
      const { probes: words, roundAt } = await round(stub, { connect: dialled, probeInLoopback });
      const isDark = ({ id }: { id: string }) => id.startsWith("dark");
      for (const word of words) expect(word.observation?.reason).toBe(isDark(word) ? "ConnectTimeout" : "Ok");
      expect(hanging.dials() - dialsBefore).toBeLessThanOrEqual(MAX_OWN_SOCKETS);
      return Math.max(...words.filter((word) => !isDark(word)).map((word) => atOf(word) - roundAt));
    });
    expect(slowestMs).toBeLessThan(1_500);
  });

  /** Two rounds in which the dials of the object's own hang; the second may ask in a loopback or not. */
  async function hangTwice(second: ProberDependencies["probeInLoopback"]) {
    const stub = freshProber();
    const [hole = 0] = blackHoles;
    await assign(stub, assignmentOf(1, [probeOf("hole", hole, brief), probeOf("good", named.good)]));
    const { connect: hanging, dials } = hangingConnect();
    await round(stub, { connect: hanging, probeInLoopback: answered });
    const first = byId(await round(stub, { connect: hanging, probeInLoopback: answered }));
    expect(first.hole?.observation?.reason).toBe("ConnectTimeout");
    const after = byId(await round(stub, { connect: hanging, probeInLoopback: second }));
    expect(dials()).toBe(2);
    return after.hole?.observation;
  }

  it("are dialled anew elsewhere while the last dial still hangs: one broken path is no word on the next", async () => {
    expect(await hangTwice(answered)).toMatchObject({ reason: "Ok" });
  });

  it("are not dialled twice on the object's own sockets, where no loopback is to be had", async () => {
    const observation = await hangTwice(() => Promise.reject(new Error("Too many Worker invocations.")));
    expect(observation).toMatchObject({ reason: "ConnectTimeout", phases: { totalMs: 0 } });
    expect(observation?.message).toContain("still hangs");
  });
});

describe("where the platform refuses loopbacks beyond some number in an invocation", () => {
  it("the rest is asked over the object's own sockets, and a leaf that is dead there counts as dead", async () => {
    const stub = freshProber();
    const probes = [...repeat(20, "good", named.good), ...repeat(4, "closed", closed)];
    await assign(stub, assignmentOf(1, probes));
    let calls = 0;
    const probeInLoopback: ProberDependencies["probeInLoopback"] = (question) => {
      calls += 1;
      return calls > 8
        ? Promise.reject(new Error("Too many Worker invocations."))
        : probeAddress(reach, question, free);
    };
    const { connect: counting, most } = countingConnect();
    const words = byId(await round(stub, { connect: counting, probeInLoopback }));
    expect(calls).toBeGreaterThan(8);
    expect(most()).toBeLessThanOrEqual(MAX_PENDING);
    for (const { id } of probes) {
      const isGood = id.startsWith("good");
      expect(words[id]?.observation?.reason, id).toBe(isGood ? "Ok" : "ConnectFailed");
    }
  });
});

/** A suspect that answers, and is proven from then on. */
const answered: ProberDependencies["probeInLoopback"] = ({ address }) =>
  Promise.resolve({ reason: "Ok", phases: { connectMs: 1, totalMs: 1 }, address });
