import { DurableObject } from "cloudflare:workers";
import type { Figures, Measurement, SelfTestRequest } from "../../shared/model/self-test.ts";
import type { Env } from "../env.ts";
import { fetchColo } from "../prober/colo.ts";
import { dependenciesOf } from "../prober/dependencies.ts";
import { dial } from "../prober/dial/connection.ts";
import { Mutex } from "../prober/dial/mutex.ts";
import { readSettings } from "../settings.ts";
import type { Bench } from "./bench.ts";
import { MEASURES } from "./measures.ts";
import { NextAlarm } from "./next-alarm.ts";
import { Round } from "./round.ts";
import { noteWakingAlarm, setWakingAlarm, type WakingAlarm, wakingAlarm } from "./waking-alarm.ts";

/** The object as somebody outside sees it. */
export interface Awake {
  /** When its memory was made, Unix ms. */
  bornAt: number;
  /** When the platform last answered a ping of its newest WebSocket, Unix ms. */
  answeredAt?: number;
}

/** What the self-test asks of its objects. */
export interface SelfTestRpc {
  /** One at a time, in the order asked. */
  measure(request: SelfTestRequest & { measurement: keyof typeof MEASURES }): Promise<Figures>;
  awake(): Promise<Awake>;
  /** Sets an alarm in so many milliseconds, which is noted when it comes. */
  setWakingAlarm(inMs: number): Promise<void>;
  /** That alarm; undefined until it has come. */
  wakingAlarm(): Promise<WakingAlarm | undefined>;
  /** Takes back alarm and storage. */
  forget(): Promise<void>;
  /** A WebSocket upgrade, whose pings the platform answers. */
  fetch(request: Request): Promise<Response>;
}

/**
 * Measures the platform from where a prober stands, a few objects in each region. A class of its own, so that neither what is measured nor
 * an alarm of it can get in the way of a prober. It keeps nothing, and lives only where somebody asked for it.
 */
export class SelfTest extends DurableObject<Env> implements SelfTestRpc {
  readonly #bornAt = Date.now();
  readonly #dependencies = dependenciesOf(this.ctx, this.env);
  readonly #mutex = new Mutex();
  readonly #nextAlarm = new NextAlarm();
  readonly #round = new Round();

  measure(request: SelfTestRequest & { measurement: keyof typeof MEASURES }): Promise<Figures> {
    return this.#mutex.runExclusive(async () => {
      try {
        const work = () => MEASURES[request.measurement](this.#bench(request));
        // What waits for alarms cannot be one: none comes before its handler has returned.
        return await (request.measurement === "alarms" ? work() : this.#round.run(this.ctx.storage, work));
      } finally {
        // An empty database is stored, and billed, too.
        await this.ctx.storage.deleteAll();
      }
    });
  }

  async awake(): Promise<Awake> {
    const newest = this.ctx.getWebSockets().at(-1);
    const answered = newest && this.ctx.getWebSocketAutoResponseTimestamp(newest);
    return { bornAt: this.#bornAt, ...(answered && { answeredAt: answered.getTime() }) };
  }

  override async fetch(_request: Request): Promise<Response> {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  override async alarm(): Promise<void> {
    if (await this.#round.fired()) return;
    this.#nextAlarm.fired();
    await noteWakingAlarm(this.ctx.storage, this.#bornAt);
  }

  setWakingAlarm(inMs: number): Promise<void> {
    return setWakingAlarm(this.ctx.storage, inMs);
  }

  wakingAlarm(): Promise<WakingAlarm | undefined> {
    return wakingAlarm(this.ctx.storage);
  }

  forget(): Promise<void> {
    return this.ctx.storage.deleteAll();
  }

  #bench(request: SelfTestRequest): Bench {
    const { COLO_URL, DIALS_TOGETHER } = readSettings(this.env);
    return {
      request,
      storage: this.ctx.storage,
      dial: ({ address, port }) => dial(this.#dependencies.connect, address, port),
      probeInLoopback: (question) => this.#dependencies.probeInLoopback(question),
      probeBatchInLoopback: (questions) => this.#dependencies.probeBatchInLoopback(questions),
      dialsTogether: DIALS_TOGETHER,
      echo: (n) => echoOf(this.ctx).echo(n),
      nextAlarm: this.#nextAlarm,
      colo: async () => (COLO_URL === "" ? undefined : fetchColo(COLO_URL)),
    };
  }
}

const echoOf = (ctx: DurableObjectState) =>
  Reflect.get(ctx.exports, "SelfTestEcho") as { echo(n: number): Promise<number> };

/**
 * The object that makes a measurement in a region. Dials that hang hold slots and keep an object in memory long after they were measured,
 * and would be in the way of the next: each measurement that leaves some has an object of its own, and so have those that are to sleep.
 * The first call of each settles where it lives.
 */
export function selfTestOf(env: Env, region: DurableObjectLocationHint, measurement: Measurement): SelfTestRpc {
  const name = `${region}/${HAS_OWN_OBJECT.has(measurement) ? measurement : "all"}`;
  return env.SELF_TEST.getByName(name, { locationHint: region }) as unknown as SelfTestRpc;
}

const HAS_OWN_OBJECT: ReadonlySet<Measurement> = new Set([
  "black-hole",
  "black-hole-held",
  "seventh-dial",
  "loopback-slots",
  "loopback-dials",
  "waking-alarm",
  "hibernation",
]);
