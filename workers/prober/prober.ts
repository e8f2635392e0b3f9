import manifest from "../../package.json" with { type: "json" };
import type { Assignment } from "../../shared/model/messages/assignment.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import type { Probe } from "../../shared/model/probe.ts";
import type { Region } from "../../shared/model/region.ts";
import type { CheckedNow, HistoryQuestion, ProbePoints, ProberRpc } from "../rpc.ts";
import { readSettings, type Settings } from "../settings.ts";
import { withTimeout } from "../timeout.ts";
import { MeteredObject } from "../usage/metered-object.ts";
import { type CheckedProbe, discountOwnFailures } from "./check/canaries.ts";
import { type CheckResult, check, failedCheck } from "./check/check.ts";
import { checkNow } from "./check/on-demand-check.ts";
import { fetchColo } from "./colo.ts";
import { dependenciesOf } from "./dependencies.ts";
import { Dialer } from "./dial/dialer.ts";
import { Mutex } from "./dial/mutex.ts";
import type { ProbeRequest } from "./probe/probe-request.ts";
import { Reporter } from "./reporter.ts";
import { CachingResolver } from "./resolve/caching-resolver.ts";
import type { CheckKind } from "./schedule/in-flight.ts";
import { runRounds, type SettledRound, type Wake } from "./schedule/round-runner.ts";
import { isAlarmAbsent } from "./schedule/round-schedule.ts";
import { type ProbeState, reachabilityOf } from "./shard/probe-state.ts";
import { ShardState } from "./shard/shard-state.ts";
import { ShardStore } from "./shard/shard-store.ts";

/** How long a pump waits for its last report; one that takes longer goes on beside the next round. */
const REPORT_WAIT_MS = 5_000;

/** How long history waits for a round to be over; what takes longer hangs, and has no latency to be falsified. */
const HISTORY_WAIT_MS = 1_500;

/** Probes one shard from one region (docs/design/prober.md). */
export class Prober extends MeteredObject implements ProberRpc {
  /** Tests put their own doubles in here. */
  readonly dependencies = dependenciesOf(this.ctx, this.env);
  readonly #work = new ShardState(new ShardStore(this.ctx.storage));
  readonly #mutex = new Mutex();
  readonly #names = new CachingResolver((...question) => this.dependencies.queryFamily(...question), this.#mutex);
  readonly #dialer = new Dialer(
    {
      connect: (address) => this.dependencies.connect(address),
      verify: (...given) => this.dependencies.verify(...given),
      probeInLoopback: (question) => this.dependencies.probeInLoopback(question),
      probeBatchInLoopback: (questions) => this.dependencies.probeBatchInLoopback(questions),
    },
    this.#mutex,
  );
  readonly #reporter = new Reporter(
    (report) => this.dependencies.sendReport(report),
    (assignment) => this.#take(assignment),
  );
  #reporting: Promise<void> = Promise.resolve();
  #isPumping = false;
  /** What the alarm was set for, Unix ms, as far as memory knows. */
  #armedFor: number | undefined;
  #round: Promise<unknown> = Promise.resolve();
  #colo: string | undefined;

  async assign(assignment: Assignment): Promise<{ number: MessageNumber }> {
    this.#take(assignment);
    if (!this.#isPumping) await this.#armIfAbsent();
    return { number: this.#work.number };
  }

  /** To read 90 days takes a tenth of a second, which a check under way would have in its latency, or for its timeout. */
  async history(question: HistoryQuestion): Promise<ProbePoints[]> {
    await withTimeout(this.#round, HISTORY_WAIT_MS).catch(() => {});
    return this.#work.history(question, Date.now());
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    if (this.#isPumping) return;
    let nextAt: number | undefined;
    this.#isPumping = true;
    try {
      const round = this.#pump(this.#wakeOf(info));
      this.#round = round.catch(() => {});
      nextAt = await round;
    } catch (error) {
      console.error("A round failed:", messageOf(error));
    } finally {
      this.#isPumping = false;
      await this.#arm(nextAt);
    }
  }

  /**
   * All rounds before the time that an alarm was set for have run, even if memory was lost. So that time distinguishes a round
   * from confirmations. Where nobody knows it, and in a retry of the platform's, it is a round.
   */
  #wakeOf(info: AlarmInvocationInfo | undefined): Wake {
    const now = Date.now();
    const dueAt = info?.isRetry ? undefined : (this.#armedFor ?? info?.scheduledTime);
    this.#armedFor = undefined;
    return (dueAt === undefined ? undefined : this.#work.wakeFor(dueAt)) ?? { at: now, roundDueAt: now };
  }

  /** Answers when to wake next, Unix ms. */
  async #pump(wake: Wake): Promise<number | undefined> {
    const settings = readSettings(this.env);
    this.#dialer.batchSize = settings.DIALS_TOGETHER;
    if (this.#colo === undefined && settings.COLO_URL !== "") this.#learnColo(settings.COLO_URL);
    const roundDueAt = await runRounds<ProbeState, CheckResult>(
      {
        now: Date.now,
        items: () => this.#work.byAge(),
        confirmAt: (until) => this.#work.confirmAt(until),
        confirmations: (atMs, until) => this.#work.confirmations(atMs, until),
        check: (member, closing, kind) => this.#check(member, settings, closing, kind),
        roundAfter: (now) => this.#work.roundAfter(now),
        longestMs: () => this.#work.longestMs,
        settle: (results, round) => this.#settle(results, round, settings),
      },
      wake,
    );
    await this.#awaitReport(this.#work.nextWakeAt(roundDueAt));
    this.#work.save(Date.now());
    return this.#work.nextWakeAt(roundDueAt);
  }

  async lookNow(probes: readonly string[]): Promise<void> {
    if (!this.#work.requestRecheck(probes, Date.now()) || this.#isPumping) return;
    const alarmAt = await this.ctx.storage.getAlarm();
    const wake = this.#work.wakeFor(this.#armedFor ?? alarmAt ?? Date.now());
    const nextAt = this.#work.nextWakeAt(wake?.roundDueAt);
    // One that is due already comes, or is nudged: it must not be put off.
    if (alarmAt === null || (nextAt !== undefined && nextAt < alarmAt && alarmAt > Date.now())) await this.#arm(nextAt);
  }

  async checkNow(region: Region, probe: Probe): Promise<CheckedNow> {
    const settings = readSettings(this.env);
    const ask = (question: ProbeRequest, closing: AbortSignal) =>
      this.#dialer.ask(probe.id, question, "suspect", closing);
    const [observation, colo] = await Promise.all([
      checkNow(probe, { settings, userAgent: userAgentOf(settings, region), names: this.#names, ask }),
      this.#colo ??
        (settings.COLO_URL === "" ? undefined : this.#mutex.runExclusive(() => fetchColo(settings.COLO_URL))),
    ]);
    this.#colo = colo;
    return { observation, ...(colo !== undefined && { colo }) };
  }

  /** Beside the round: a report that goes out before it is known does without. */
  #learnColo(url: string): void {
    const asking = this.#mutex
      .runExclusive(() => fetchColo(url))
      .then((colo) => {
        this.#colo = colo;
      });
    this.ctx.waitUntil(asking);
  }

  /**
   * What is to be confirmed may hang, and is asked as suspects are: it takes no slots from those that are proven. It also uses no
   * cached name after the resolver failed. An address that is gone would count each time that it is probed.
   */
  async #check(
    member: ProbeState,
    settings: Settings,
    closing: AbortSignal,
    kind: CheckKind,
  ): Promise<CheckResult | undefined> {
    const { probe } = member;
    member.askedAt = Date.now();
    const standing = (address: string) => (kind === "confirmation" ? "doubted" : reachabilityOf(member, address));
    try {
      return await check(probe, {
        settings,
        userAgent: userAgentOf(settings, this.#work.shard?.region),
        staleMs: kind === "confirmation" ? 0 : (this.#work.shard?.intervalMs ?? 0),
        names: this.#names,
        ask: (question) => this.#dialer.ask(probe.id, question, standing(question.address), closing),
      });
    } catch (error) {
      return failedCheck(error);
    }
  }

  /** Counts, stores and reports. A failed write is repeated after the next round. */
  async #settle(given: CheckedProbe[], round: SettledRound, settings: Settings): Promise<void> {
    let results = given;
    try {
      results = await discountOwnFailures(given, round, settings.CANARIES, (question) =>
        this.#dialer.probeCanary(question),
      );
      this.#work.count(results, round);
      this.#work.save(Date.now());
      // A dial would wait for the write to be confirmed, and its time would be false.
      await this.ctx.storage.sync();
    } catch (error) {
      console.error("A round could not be stored:", messageOf(error));
    }
    const report = this.#work.report(new Map(results), round, Date.now());
    if (report === undefined) return;
    this.#reporting = this.#reporter.send({
      ...report,
      usage: this.meter.take(),
      ...(this.#colo !== undefined && { colo: this.#colo }),
    });
  }

  async #awaitReport(nextAt: number | undefined): Promise<void> {
    const atMostMs = Math.min(REPORT_WAIT_MS, (nextAt ?? Number.POSITIVE_INFINITY) - Date.now() - 100);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(0, atMostMs));
    try {
      await Promise.race([this.#reporting, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #take(assignment: Assignment): void {
    this.#work.take(assignment, Date.now());
    if (!this.#isPumping) this.#work.save(Date.now());
  }

  async #armIfAbsent(): Promise<void> {
    const alarmAt = await this.ctx.storage.getAlarm();
    const intervalMs = this.#work.shard?.intervalMs ?? 0;
    const isWrong = this.#work.isEmpty ? alarmAt !== null : isAlarmAbsent(alarmAt, Date.now(), intervalMs);
    if (isWrong) await this.#arm(undefined);
  }

  /** One billed row. The platform leaves an alarm that is set for this very moment pending for long. */
  async #arm(nextAt: number | undefined): Promise<void> {
    const now = Date.now();
    const at = this.#work.isEmpty ? undefined : (nextAt ?? this.#work.nextRoundAt(now));
    this.#armedFor = at;
    if (at === undefined) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(Math.max(at, now + 1));
  }
}

function userAgentOf({ PROJECT_URL }: Settings, region: Region | undefined): string {
  return `Vedette/${manifest.version} (+${PROJECT_URL}; region=${region})`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
