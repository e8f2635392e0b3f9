import manifest from "../../package.json" with { type: "json" };
import type { Assignment } from "../../shared/model/messages/assignment.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import type { Probe } from "../../shared/model/probe.ts";
import type { Region } from "../../shared/model/region.ts";
import { outcomeOf } from "../../shared/reason.ts";
import type { CheckedNow, HistoryQuestion, ProbePoints, ProberRpc } from "../rpc.ts";
import type { Settings } from "../settings.ts";
import { readSettings } from "../settings.ts";
import { MeteredObject } from "../usage/metered-object.ts";
import { within } from "../within.ts";
import {
  canaryQuestion,
  isIPv6,
  looksLikeNoIPv6,
  looksLikeOurTrouble,
  withoutFailures,
  withoutIPv6Failures,
} from "./canaries.ts";
import type { CheckResult } from "./check.ts";
import { check, failedCheck } from "./check.ts";
import { checkNow } from "./check-now.ts";
import { askColo } from "./colo.ts";
import { Dialler } from "./dialler.ts";
import type { Member } from "./members.ts";
import { standingOf } from "./members.ts";
import { outsideOf } from "./outside.ts";
import { isAlarmAbsent } from "./phase.ts";
import type { Round } from "./pump.ts";
import { pump } from "./pump.ts";
import type { Question } from "./question.ts";
import { Reporter } from "./reporter.ts";
import { Names } from "./resolve/names.ts";
import { ShardWork } from "./shard-work.ts";
import { Store } from "./store.ts";
import { Turn } from "./turn.ts";

/** How long a pump waits for its last report; one that takes longer goes on beside the next round. */
const REPORT_WAIT_MS = 5_000;

/** How long history waits for a round to be over; what takes longer hangs, and has no latency to be falsified. */
const HISTORY_WAIT_MS = 1_500;

type CheckedMember = [Member, CheckResult];

/** Probes one shard from one region (design §2, prober). */
export class Prober extends MeteredObject implements ProberRpc {
  /** Tests put their own doubles in here. */
  readonly outside = outsideOf(this.ctx, this.env);
  readonly #work = new ShardWork(new Store(this.ctx.storage));
  readonly #turn = new Turn();
  readonly #names = new Names((...question) => this.outside.askFamily(...question), this.#turn);
  readonly #dialler = new Dialler({
    connect: (address) => this.outside.connect(address),
    verify: (...given) => this.outside.verify(...given),
    askElsewhere: (question) => this.outside.askElsewhere(question),
  });
  readonly #reporter = new Reporter(
    (report) => this.outside.sendReport(report),
    (assignment) => this.#take(assignment),
  );
  #reporting: Promise<void> = Promise.resolve();
  #isPumping = false;
  #round: Promise<unknown> = Promise.resolve();
  #colo: string | undefined;

  async assign(assignment: Assignment): Promise<{ number: MessageNumber }> {
    this.#take(assignment);
    if (!this.#isPumping) await this.#armIfAbsent();
    return { number: this.#work.number };
  }

  /** To read 90 days takes a tenth of a second, which a check under way would have in its latency, or for its timeout. */
  async history(question: HistoryQuestion): Promise<ProbePoints[]> {
    await within(this.#round, HISTORY_WAIT_MS).catch(() => {});
    return this.#work.history(question, Date.now());
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    if (this.#isPumping) return;
    let nextAt: number | undefined;
    this.#isPumping = true;
    try {
      const round = this.#pump(info?.scheduledTime ?? Date.now());
      this.#round = round.catch(() => {});
      nextAt = await round;
    } catch (error) {
      console.error("A round failed:", messageOf(error));
    } finally {
      this.#isPumping = false;
      await this.#arm(nextAt);
    }
  }

  async #pump(dueAt: number): Promise<number | undefined> {
    const settings = readSettings(this.env);
    if (this.#colo === undefined && settings.COLO_URL !== "") this.#learnColo(settings.COLO_URL);
    const nextAt = await pump<Member, CheckResult>(
      {
        now: Date.now,
        items: () => this.#work.byAge(),
        check: (member, closing) => this.#check(member, settings, closing),
        roundAfter: (now) => this.#work.roundAfter(now),
        longestMs: () => this.#work.longestMs,
        settle: (results, round) => this.#settle(results, round, settings),
      },
      dueAt,
    );
    await this.#awaitReport(nextAt);
    this.#work.save(Date.now());
    return nextAt;
  }

  async lookNow(_probes: readonly string[]): Promise<void> {}

  async checkNow(region: Region, probe: Probe): Promise<CheckedNow> {
    const settings = readSettings(this.env);
    const ask = (question: Question, closing: AbortSignal) => this.#dialler.ask(probe.id, question, "suspect", closing);
    const [observation, colo] = await Promise.all([
      checkNow(probe, { settings, userAgent: userAgentOf(settings, region), names: this.#names, ask }),
      this.#colo ?? (settings.COLO_URL === "" ? undefined : this.#turn.take(() => askColo(settings.COLO_URL))),
    ]);
    this.#colo = colo;
    return { observation, ...(colo !== undefined && { colo }) };
  }

  /** Beside the round: a report that goes out before it is known does without. */
  #learnColo(url: string): void {
    const asking = this.#turn
      .take(() => askColo(url))
      .then((colo) => {
        this.#colo = colo;
      });
    this.ctx.waitUntil(asking);
  }

  async #check(member: Member, settings: Settings, closing: AbortSignal): Promise<CheckResult | undefined> {
    const { probe } = member;
    try {
      return await check(probe, {
        settings,
        userAgent: userAgentOf(settings, this.#work.shard?.region),
        intervalMs: this.#work.shard?.intervalMs ?? 0,
        names: this.#names,
        ask: (question) => this.#dialler.ask(probe.id, question, standingOf(member, question.address), closing),
      });
    } catch (error) {
      return failedCheck(error);
    }
  }

  /** Counts, stores and reports. A write that fails is made up for after the next round. */
  async #settle(given: CheckedMember[], round: Round, settings: Settings): Promise<void> {
    let results = given;
    try {
      results = await this.#judgedByCanaries(given, settings.CANARIES);
      this.#work.count(results, round);
      this.#work.save(Date.now());
      // A dial would wait for the write to be confirmed, and its time would be false.
      await this.ctx.storage.sync();
    } catch (error) {
      console.error("A round could not be stored:", messageOf(error));
    }
    const report = this.#work.report(
      new Map(results),
      { ...round, ...(this.#colo && { colo: this.#colo }) },
      Date.now(),
    );
    if (report !== undefined) this.#reporting = this.#reporter.send(report);
  }

  async #judgedByCanaries(results: CheckedMember[], canaries: Settings["CANARIES"]): Promise<CheckedMember[]> {
    const checks = results.map(([, result]) => result);
    if (looksLikeOurTrouble(checks) && (await this.#areUnreachable(canaries))) {
      return results.map(([member, result]) => [member, withoutFailures(result)]);
    }
    if (looksLikeNoIPv6(checks) && (await this.#areUnreachable(canaries.filter(({ address }) => isIPv6(address))))) {
      return results.map(([member, result]) => [
        member,
        withoutIPv6Failures(result, member.probe.expectation.addressPolicy),
      ]);
    }
    return results;
  }

  /** Whether canaries were asked, two at most, and none of them answered. */
  async #areUnreachable(canaries: Settings["CANARIES"]): Promise<boolean> {
    const asked = canaries.slice(0, 2).map((canary) => this.#dialler.askCanary(canaryQuestion(canary)));
    const findings = await Promise.all(asked);
    return (
      findings.length > 0 &&
      findings.every((finding) => finding !== undefined && outcomeOf(finding.reason) === "failed")
    );
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
