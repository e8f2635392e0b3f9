import { connect } from "cloudflare:sockets";
import { describe, expect, inject, it } from "vitest";
import { loopbackDials } from "../../deploy/edge/loopback-dials.ts";
import { type Figures, selfTestRequest } from "../../shared/model/self-test.ts";
import { free, reach } from "../../test/support/reach.ts";
import { Invocation, SixSlots } from "../../test/support/six-slots.ts";
import { dial } from "../prober/dial/connection.ts";
import { probeAddress } from "../prober/dial/probe-address.ts";
import type { ProbeRequest, ProbeResult } from "../prober/probe/probe-request.ts";
import type { Bench } from "./bench.ts";
import { measureLoopbackDials } from "./loopback-dials.ts";

const { named, blackHoles } = inject("gateways");
const PATIENCE_MS = 500;

/** Whose slots the object's own dials have, and whose each loopback's. */
interface Platform {
  object: SixSlots;
  loopback: () => SixSlots;
  refuses?: boolean;
}

function benchOn({ object, loopback, refuses = false }: Platform, dialsTogether: number): Bench {
  const own = new Invocation(object, connect);
  const within = async (questions: readonly ProbeRequest[]): Promise<ProbeResult[]> => {
    if (refuses && questions.length > 1) throw new Error("Too many connections.");
    const invocation = new Invocation(loopback(), connect);
    const asked = questions.map((question) => probeAddress({ ...reach, connect: invocation.connect }, question, free));
    return Promise.all(asked).finally(() => invocation.end());
  };
  const bench: Partial<Bench> = {
    request: selfTestRequest.parse({
      measurement: "loopback-dials",
      targets: { open: `127.0.0.1:${named.good}`, blackHole: `127.0.0.1:${blackHoles[0]}` },
    }),
    dial: ({ address, port }) => dial(own.connect, address, port),
    probeInLoopback: async (question) => (await within([question]))[0] as ProbeResult,
    probeBatchInLoopback: within,
    dialsTogether,
  };
  return bench as Bench;
}

const inTheirOwn = (): SixSlots => new SixSlots();
const unlimited = Object.assign(new SixSlots(), { take: async () => () => undefined });

describe.concurrent("dials of loopbacks, over real sockets, on a platform that", () => {
  const together = new SixSlots();
  const amongThemselves = new SixSlots();
  const platforms: [name: string, platform: Platform, set: number, found: RegExp, verdict: string, advice: RegExp][] = [
    [
      "counts them apart",
      { object: new SixSlots(), loopback: inTheirOwn },
      1,
      /counted apart: up to 5 dials in each of 4/,
      "otherwise",
      /Set DIALS_TOGETHER=5 .* saves a fifth/,
    ],
    [
      "counts them with the object's six",
      { object: together, loopback: () => together },
      5,
      /with the object's six/,
      "otherwise",
      /Set DIALS_TOGETHER=1 .* timeouts/,
    ],
    [
      "has six for all loopbacks",
      { object: new SixSlots(), loopback: () => amongThemselves },
      1,
      /5 dials in each of 2: waited; DIALS_TOGETHER=1 is right/,
      "assumed",
      /^$/,
    ],
    [
      "refuses them",
      { object: new SixSlots(), loopback: inTheirOwn, refuses: true },
      5,
      /refused: Error: Too many connections/,
      "otherwise",
      /Set DIALS_TOGETHER=1/,
    ],
    [
      "has no limit",
      { object: unlimited, loopback: () => unlimited },
      1,
      /^no limit to be seen/,
      "unknown",
      /says nothing/,
    ],
  ];

  it.each(platforms)("%s", async (_, platform, set, found, verdict, advice) => {
    const figures: Figures = await measureLoopbackDials(benchOn(platform, set), PATIENCE_MS);
    expect(figures).toMatchObject({ hanging: 6, own: verdict === "unknown" ? "opened" : "pending" });
    const probeResult = loopbackDials.judge(figures);
    expect(probeResult).toMatchObject({ verdict, found: expect.stringMatching(found) });
    expect(probeResult.advice ?? "").toMatch(advice);
  });
});
