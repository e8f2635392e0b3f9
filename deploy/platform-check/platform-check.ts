import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../workers/env.ts";
import { fetchColo } from "../../workers/prober/colo.ts";
import { dependenciesOf } from "../../workers/prober/dependencies.ts";
import { dial } from "../../workers/prober/dial/connection.ts";
import { Mutex } from "../../workers/prober/dial/mutex.ts";
import { readSettings } from "../../workers/settings.ts";
import type { Bench } from "./bench.ts";
import { MEASURES } from "./measurements.ts";
import { ObjectAlarm } from "./object-alarm.ts";
import type { CheckRequest, Figures, Measurement } from "./protocol.ts";

/** Bindings of the platform check. The settings COLO_URL and EXTRA_ROOTS of the edge apply too. */
export interface CheckEnv {
  PLATFORM_CHECK: DurableObjectNamespace;
  /** Without it every request is refused. */
  CHECK_TOKEN?: string;
}

/** An alarm that came, as the object recorded it. */
export interface WakingAlarm {
  lateMs: number;
  /** When the memory that it came to was made, Unix ms. */
  bornAt: number;
}

/** The object as a caller sees it. */
export interface Awake {
  /** When its memory was made, Unix ms. */
  bornAt: number;
  /** When the platform last answered a ping of its newest WebSocket, Unix ms. */
  answeredAt?: number;
}

type ObjectRequest = CheckRequest & { measurement: keyof typeof MEASURES };

/** What the Worker calls of its objects. */
export interface PlatformCheckRpc {
  /** Runs one measurement at a time, in the order of the calls. */
  measure(request: ObjectRequest): Promise<Figures>;
  awake(): Promise<Awake>;
  /** Sets an alarm that is recorded when it comes. */
  setWakingAlarm(inMs: number): Promise<void>;
  /** That alarm; undefined until it has come. */
  wakingAlarm(): Promise<WakingAlarm | undefined>;
  /** Deletes the alarm and the storage. */
  forget(): Promise<void>;
  /** A WebSocket upgrade, whose pings the platform answers. */
  fetch(request: Request): Promise<Response>;
}

const DUE = "alarm due";
const CAME = "alarm came";

/** Measures the platform from where a prober would run, with a few objects in each region. It keeps nothing. */
export class PlatformCheck extends DurableObject<CheckEnv> implements PlatformCheckRpc {
  readonly #bornAt = Date.now();
  readonly #settings = this.env as unknown as Env;
  readonly #dependencies = dependenciesOf(this.ctx, this.#settings);
  readonly #mutex = new Mutex();
  readonly #alarm = new ObjectAlarm(this.ctx.storage);

  measure(request: ObjectRequest): Promise<Figures> {
    return this.#mutex.runExclusive(async () => {
      try {
        const work = () => MEASURES[request.measurement](this.#bench(request));
        // A measurement that waits for alarms cannot run in one: the next alarm comes after the handler has returned.
        return await (request.measurement === "alarms" ? work() : this.#alarm.run(work));
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
    if (await this.#alarm.fired()) return;
    const dueAt = await this.ctx.storage.get<number>(DUE);
    if (dueAt === undefined) return;
    await this.ctx.storage.put<WakingAlarm>(CAME, { lateMs: Date.now() - dueAt, bornAt: this.#bornAt });
  }

  async setWakingAlarm(inMs: number): Promise<void> {
    const dueAt = Date.now() + inMs;
    await this.ctx.storage.put(DUE, dueAt);
    await this.ctx.storage.setAlarm(dueAt);
  }

  wakingAlarm(): Promise<WakingAlarm | undefined> {
    return this.ctx.storage.get<WakingAlarm>(CAME);
  }

  forget(): Promise<void> {
    return this.ctx.storage.deleteAll();
  }

  #bench(request: CheckRequest): Bench {
    const { COLO_URL } = readSettings(this.#settings);
    return {
      request,
      storage: this.ctx.storage,
      dial: ({ address, port }) => dial(this.#dependencies.connect, address, port),
      probeInLoopback: (probe) => this.#dependencies.probeInLoopback(probe),
      probeBatchInLoopback: (probes) => this.#dependencies.probeBatchInLoopback(probes),
      echo: (n) => (Reflect.get(this.ctx.exports, "Echo") as { echo(n: number): Promise<number> }).echo(n),
      alarm: this.#alarm,
      colo: async () => (COLO_URL === "" ? undefined : fetchColo(COLO_URL)),
    };
  }
}

/**
 * A new stub of the object that makes a measurement in a region. Dials that hang hold slots and keep an object in memory long after
 * the measurement. A measurement that leaves such dials has its own object, and so has one whose object must sleep. The first call
 * of each object decides where it lives.
 */
export function objectOf(env: CheckEnv, region: DurableObjectLocationHint, measurement: Measurement): PlatformCheckRpc {
  const name = `${region}/${HAS_OWN_OBJECT.has(measurement) ? measurement : "all"}`;
  return env.PLATFORM_CHECK.getByName(name, { locationHint: region }) as unknown as PlatformCheckRpc;
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
