import type { Assignment } from "../../shared/model/messages/assignment.ts";
import type { Report } from "../../shared/model/messages/report.ts";
import { EXPIRED, withDeadline } from "./dial/deadline.ts";

const PAUSES_MS = [0, 500, 2_000];
const ATTEMPT_MS = 5_000;

/** One attempt to hand a report over. Each has to go through a fresh stub: one that has thrown stays broken. */
export type SendReport = (report: Report) => Promise<{ assignment?: Assignment }>;

/** Hands reports to the coordinator: tried again with the same number, given up once there is a newer one. */
export class Reporter {
  readonly #send: SendReport;
  readonly #onAssignment: (assignment: Assignment) => void;
  #newest: Report | undefined;

  /** `onAssignment` takes the assignment that the coordinator gives where the prober's is older. */
  constructor(send: SendReport, onAssignment: (assignment: Assignment) => void) {
    this.#send = send;
    this.#onAssignment = onAssignment;
  }

  /** Never rejects: the next report says all that this one does. */
  async send(report: Report): Promise<void> {
    this.#newest = report;
    for (const pauseMs of PAUSES_MS) {
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (this.#newest !== report || (await this.#attempt(report))) return;
    }
  }

  async #attempt(report: Report): Promise<boolean> {
    try {
      const reply = await withDeadline(ATTEMPT_MS, (deadline) => deadline.race(this.#send(report)));
      if (reply === EXPIRED) return false;
      if (reply.assignment !== undefined) this.#onAssignment(reply.assignment);
      return true;
    } catch (error) {
      console.warn("A report was not taken:", error instanceof Error ? error.message : error);
      return false;
    }
  }
}
