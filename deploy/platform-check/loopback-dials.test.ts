import { connect } from "cloudflare:sockets";
import { describe, expect, inject, it } from "vitest";
import { free, reach } from "../../test/support/reach.ts";
import { Invocation, SixSlots } from "../../test/support/six-slots.ts";
import { dial } from "../../workers/prober/dial/connection.ts";
import { probeAddress } from "../../workers/prober/dial/probe-address.ts";
import type { ProbeRequest, ProbeResult } from "../../workers/prober/probe/probe-request.ts";
import type { Bench } from "./bench.ts";
import { loopbackDials } from "./judge-loopback-dials.ts";
import { measureLoopbackDials } from "./measure-loopback-dials.ts";
import { checkRequest, type Figures } from "./protocol.ts";

const { named, blackHoles } = inject("gateways");
const PATIENCE_MS = 500;

/** Whose slots the object's own dials have, and whose each loopback's. */
interface Platform {
  object: SixSlots;
  loopback: () => SixSlots;
  refuses?: boolean;
}

function benchOn({ object, loopback, refuses = false }: Platform): Bench {
  const own = new Invocation(object, connect);
  const within = async (requests: readonly ProbeRequest[]): Promise<ProbeResult[]> => {
    if (refuses && requests.length > 1) throw new Error("Too many connections.");
    const invocation = new Invocation(loopback(), connect);
    const asked = requests.map((request) => probeAddress({ ...reach, connect: invocation.connect }, request, free));
    return Promise.all(asked).finally(() => invocation.end());
  };
  const bench: Partial<Bench> = {
    request: checkRequest.parse({
      measurement: "loopback-dials",
      targets: { open: `127.0.0.1:${named.good}`, blackHole: `127.0.0.1:${blackHoles[0]}` },
    }),
    dial: ({ address, port }) => dial(own.connect, address, port),
    probeInLoopback: async (request) => (await within([request]))[0] as ProbeResult,
    probeBatchInLoopback: within,
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
      /Set DIALS_TOGETHER=1 .* time out/,
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
      /^no limit is visible/,
      "unknown",
      /proves nothing/,
    ],
  ];

  it.each(platforms)("%s", async (_, platform, set, found, verdict, advice) => {
    const figures: Figures = await measureLoopbackDials(benchOn(platform), PATIENCE_MS);
    expect(figures).toMatchObject({ hanging: 6, own: verdict === "unknown" ? "opened" : "pending" });
    const finding = loopbackDials.judge(figures, set);
    expect(finding).toMatchObject({ verdict, found: expect.stringMatching(found) });
    expect(finding.advice ?? "").toMatch(advice);
  });
});
