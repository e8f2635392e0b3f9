import { Election, type ElectionOptions } from "../kubernetes/election.ts";
import type { Log } from "../runtime/log.ts";
import { type Repeated, repeat } from "../runtime/repeat.ts";
import type { LeaderSession } from "./leader-session.ts";

const RETRY_MS = 1_000;

export interface LeadershipOptions
  extends Omit<ElectionOptions, "onLeader" | "onLost" | "name" | "annotations" | "log" | "pollMs"> {
  cluster: string;
  /** Where other replicas forward deliveries to, such as `http://10.1.2.3:8788`. */
  forwardTo: string;
  /**
   * Starts the work of a leader. If it fails, it is retried while this replica leads. `leads` returns whether this
   * replica has led without a break since. Data read before a loss of leadership must not be written afterwards.
   */
  begin: (leads: () => boolean) => Promise<LeaderSession>;
  onChange: (isLeader: boolean) => void;
  log: Log;
}

const FORWARD_TO = "vedette.dev/forward-to";

/** Stands for election, and does the work of the leader while this replica leads. */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #election: Election;
  #term: LeaderSession | undefined;
  #losses = 0;
  #turning: Promise<void> = Promise.resolve();
  #beginning: Repeated | undefined;

  constructor(options: LeadershipOptions) {
    const { cluster, forwardTo, begin: _, onChange: __, ...rest } = options;
    this.#options = options;
    this.#election = new Election({
      ...rest,
      name: `vedette-${cluster}-leader`,
      annotations: { [FORWARD_TO]: forwardTo },
      onLeader: () => {
        const before = this.#losses;
        void this.#turn(() => this.#lead(() => this.#losses === before && this.#election.isLeader));
      },
      onLost: () => this.#lost(),
    });
  }

  start(): void {
    this.#election.start();
  }

  /** The session of this replica while it leads. */
  get term(): LeaderSession | undefined {
    return this.#election.isLeader ? this.#term : undefined;
  }

  get isLeader(): boolean {
    return this.#election.isLeader;
  }

  /** Where the leader takes deliveries; undefined while no leader is known. */
  get forwardTo(): string | undefined {
    return this.#election.leader?.annotations[FORWARD_TO];
  }

  /** Ends the work, then gives the leadership back, so that the next leader finds everything written. */
  async stop(): Promise<void> {
    await this.#turn(() => this.#end());
    await this.#election.stop();
    await this.#turning;
  }

  async #lead(leads: () => boolean): Promise<void> {
    const { begin, onChange, log } = this.#options;
    log("info", "This replica leads now");
    onChange(true);
    this.#beginning = repeat(
      async () => {
        if (this.#term === undefined && leads()) this.#term = await begin(leads);
      },
      () => RETRY_MS,
      log,
    );
  }

  #lost(): void {
    // At once: no new write may start.
    this.#losses += 1;
    this.#term?.abandon();
    this.#options.log("warn", "This replica leads no more");
    this.#options.onChange(false);
    void this.#turn(() => this.#end());
  }

  async #end(): Promise<void> {
    await this.#beginning?.stop();
    this.#beginning = undefined;
    const term = this.#term;
    this.#term = undefined;
    await term?.stop();
  }

  #turn(work: () => Promise<void>): Promise<void> {
    this.#turning = this.#turning.then(work).catch((error: Error) => {
      this.#options.log("warn", `Unexpected, on a change of leadership: ${error.message}`);
    });
    return this.#turning;
  }
}
