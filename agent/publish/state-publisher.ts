import type { ObjectRef } from "../kubernetes/object.ts";
import { inForce } from "../plan/accepted-specs.ts";
import type { Log } from "../runtime/log.ts";
import { LogOnChange } from "../runtime/log-on-change.ts";
import type { SourceState } from "../sources/file-source.ts";
import type { State } from "../status/state.ts";
import type { Publication, Publisher } from "./publisher.ts";

export interface StatePublisherOptions {
  publishers: readonly Publisher[];
  /** Stores the state for the next process. */
  save: (state: State) => Promise<void>;
  /** Shows the status of the records where users see it. In file mode the state file is that place. */
  show?: (state: State, source: SourceState) => void;
  /** Throws if this agent must not write any more, because another replica may lead. */
  assertMayWrite?: () => void;
  /** Records that take no part for now. What is published for them stays. */
  keptRecords?: () => readonly ObjectRef[];
  log: Log;
}

/** Puts a state into effect: publishes it, stores it and shows it. */
export class StatePublisher {
  readonly #options: StatePublisherOptions;
  readonly #log: LogOnChange;
  #stored = "";

  constructor(options: StatePublisherOptions) {
    this.#options = options;
    this.#log = new LogOnChange(options.log);
  }

  /** Publishes durably, shows and stores the state, unless it is stored already. Returns whether it is stored. */
  async store(state: State, source: SourceState): Promise<boolean> {
    const text = JSON.stringify(state);
    if (text === this.#stored) return true;
    try {
      await this.#publishAndSave(state, source);
      this.#stored = text;
      this.#log.note("store", undefined, "The state can be stored again.");
      return true;
    } catch (error) {
      this.#log.note("store", `The state cannot be stored: ${(error as Error).message}`);
      return false;
    }
  }

  /** Publishes what does not outlive this process. To be called after `store`, even if that failed: a full disk must not stop a failover. */
  async serve(state: State, source: SourceState): Promise<void> {
    await this.#publish(state, source, { isDurable: false });
  }

  /** Shows the status of the records. Before the source was read that is unknown. */
  show(state: State, source: SourceState): void {
    if (source.complete) this.#options.show?.(state, source);
  }

  /** Statuses are shown even if a publisher fails: they say so. */
  async #publishAndSave(state: State, source: SourceState): Promise<void> {
    const { publishers, save, assertMayWrite = () => {} } = this.#options;
    assertMayWrite();
    if (source.complete) await this.#publish(state, source, { isDurable: true });
    this.show(state, source);
    assertMayWrite();
    const failed = publishers
      .flatMap((publisher) => publisher.problems())
      .filter((problem) => problem.state === "Writing");
    if (failed.length > 0) throw new Error(failed.map(({ message }) => message).join("; "));
    await save(state);
  }

  async #publish(state: State, { records }: SourceState, { isDurable }: { isDurable: boolean }): Promise<void> {
    const { publishers, keptRecords = () => [] } = this.#options;
    const publication: Publication = {
      hosts: state.hosts,
      serial: state.serial,
      records: records.flatMap((record) => inForce(record, state.records[record.key]) ?? []),
      kept: keptRecords(),
    };
    const called = publishers.filter((publisher) => publisher.isDurable === isDurable);
    await Promise.all(called.map((publisher) => publisher.publish(publication)));
  }
}
