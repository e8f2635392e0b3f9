import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Assignment } from "../../../shared/model/messages/assignment.ts";
import type { Report } from "../../../shared/model/messages/report.ts";
import { json } from "./fleet.ts";
import { type Outcome, SimulatedProber } from "./simulated-prober.ts";

/** How many reports are under way at once where they are sent as fast as they are taken. */
const AT_ONCE = 8;

/** A report without an answer by then counts as lost, as with probers. A lost one must not delay the others. */
const ANSWER_MS = 5_000;

/** One report, when it was due and when it was answered (Unix ms), in `late` after the time it was sent. */
export interface Sent {
  dueAt: number;
  sentAt: number;
  answeredAt: number;
}

/** All simulated probers of a fleet, which the edge assigns to over HTTP, and their reports. */
export class Driver {
  readonly probers = new Map<string, SimulatedProber>();
  outcome: Outcome = () => "Ok";
  /** Called with each report before it leaves. */
  onReport: (report: Report) => void = () => {};
  looks = 0;
  assignments = 0;
  edge = "";
  sent: Sent[] = [];
  failed = 0;
  #timers = new Map<SimulatedProber, ReturnType<typeof setTimeout>>();
  #isRunning = false;
  readonly #server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      this.#told(request.url ?? "", body);
      response.end();
    });
  });

  async listen(): Promise<string> {
    // Or a call could come over a connection that is just being closed for its silence.
    this.#server.keepAliveTimeout = 600_000;
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.stop();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #told(path: string, body: string): void {
    const [, what, name = ""] = path.split("/");
    if (what === "assign") this.#assigned(JSON.parse(body));
    if (what !== "look") return;
    this.looks += 1;
    const prober = this.probers.get(decodeURIComponent(name));
    if (prober !== undefined) void this.#send(prober, "report", Date.now(), new Set(JSON.parse(body)));
  }

  #assigned(assignment: Assignment): void {
    this.assignments += 1;
    const { region, partition, intervalMs, n } = assignment.shard;
    const name = `${region}/${partition}/${intervalMs}/${n}`;
    const known = this.probers.get(name);
    if (known !== undefined) known.take(assignment);
    else this.#add(name, new SimulatedProber(assignment));
  }

  #add(name: string, prober: SimulatedProber): void {
    this.probers.set(name, prober);
    if (this.#isRunning) this.#plan(prober);
  }

  /** Each prober does its rounds in its own phase from now on, and looks again at what is unsettled. */
  start(): void {
    this.#isRunning = true;
    for (const prober of this.probers.values()) this.#plan(prober);
  }

  stop(): void {
    this.#isRunning = false;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #plan(prober: SimulatedProber): void {
    if (!this.#isRunning) return;
    clearTimeout(this.#timers.get(prober));
    const now = Date.now();
    const roundAt = prober.nextRoundAt(now);
    const dueAt = Math.min(roundAt, Math.max(now, prober.confirmAt() ?? roundAt));
    const run = () => {
      const only = dueAt < roundAt ? prober.dueAgain(Date.now()) : undefined;
      void this.#send(prober, "report", dueAt, only);
    };
    this.#timers.set(prober, setTimeout(run, dueAt - now));
  }

  async #send(prober: SimulatedProber, to: string, dueAt: number, only?: ReadonlySet<string>): Promise<void> {
    const report = prober.report(Date.now(), this.outcome, only);
    this.onReport(report);
    this.#plan(prober);
    const sentAt = Date.now();
    try {
      const answer = await json<{ assignment?: Assignment }>(`${this.edge}/bench/${to}`, {
        method: "POST",
        body: JSON.stringify(report),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      if (answer.assignment !== undefined) prober.take(answer.assignment);
      this.sent.push({ dueAt, sentAt, answeredAt: Date.now() });
    } catch {
      this.failed += 1;
    }
  }

  /** Every prober does a round at once, so many times; answers how many reports that were. */
  async flood(to: "report" | "sink", times: number): Promise<number> {
    const all = Array.from({ length: times }, () => [...this.probers.values()]).flat();
    const queue = all.values();
    const work = async () => {
      for (const prober of queue) await this.#send(prober, to, Date.now());
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return all.length;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
