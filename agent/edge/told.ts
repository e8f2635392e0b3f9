import type { MessageNumber } from "../../shared/model/number.ts";
import { compareNumbers, NO_NUMBER } from "../../shared/number.ts";
import type { HostState } from "../status/state.ts";
import type { DeliveredRecord, ReadChanges, ReadDelivery, ReadFull } from "./delivered.ts";

/** What the agent has when a message comes. */
export interface Held {
  /** Of the newest decisions that were taken. */
  number: MessageNumber;
  /** Root hosts that the records here name. */
  own: ReadonlySet<string>;
  hosts: Readonly<Record<string, HostState>>;
}

/** Decisions to be taken. */
export interface News {
  number: MessageNumber;
  records: DeliveredRecord[];
  /** Records that cannot be read, in words. */
  refused: string[];
  /** Root hosts that the edge has decisions for, and no record here names. */
  foreign: string[];
}

/** What the edge told last of a root host. */
interface ToldHost {
  /** This cluster's records that the decision is made of, by key. */
  keys: readonly string[];
  /** Whether a record here named the host then: else the decision was ignored. */
  isTaken: boolean;
}
type Whole = ReadonlyMap<string, ToldHost>;

/** What the edge has told this process: what is a replay, and whether changes to it can be taken. */
export class Told {
  readonly #cluster: string;
  /** When the newest message left, by the edge's clock. */
  #sentAt: number;
  /** All that was told with the number that is held, by root host; undefined until all of it was read in this process. */
  #whole: Whole | undefined;
  #named: ReadonlySet<string> | undefined;

  /** @param sentAt of the newest message that a former process had, Unix ms */
  constructor(cluster: string, sentAt: number) {
    this.#cluster = cluster;
    this.#sentAt = sentAt;
  }

  /** When the newest message left, Unix ms by the edge's clock. */
  get sentAt(): number {
    return this.#sentAt;
  }

  /**
   * This cluster's records that the edge names, by key, as of the last decisions that could be read whole; undefined before there
   * were any in this process.
   */
  get named(): ReadonlySet<string> | undefined {
    return this.#named;
  }

  /**
   * Whether changes to the number that is held can be taken: all of it was told without a gap, and is still held. A host that
   * came or came back since lacks what was told of it, and changes of others would never bring that.
   */
  takesChanges({ own, hosts }: Held): boolean {
    const whole = this.#whole;
    if (whole === undefined) return false;
    return [...own].every((rootHost) => {
      const told = whole.get(rootHost);
      return told === undefined || (told.isTaken && hosts[rootHost]?.delivered !== undefined);
    });
  }

  /** What to answer, once all that is taken of a message is taken. */
  answerTo({ kind }: ReadDelivery, held: Held): { number: MessageNumber; takesChanges: boolean } {
    const number = kind === "Contact" ? this.toName(held) : held.number;
    return { number, takesChanges: this.takesChanges(held) };
  }

  /**
   * The number to name as held where nothing is on its way: none where nothing is held that was told of a host which is served here. Its
   * record came, or came back, since it was told, and what was told would come again with the next change only.
   */
  toName({ number, hosts }: Pick<Held, "number" | "hosts">): MessageNumber {
    const lacks = (rootHost: string) => hosts[rootHost]?.delivered === undefined && this.#whole?.has(rootHost);
    return Object.keys(hosts).some(lacks) ? NO_NUMBER : number;
  }

  /** A newer number is no replay; of changes that are not taken, and so could come again and again, the time decides. */
  isReplay(delivery: ReadDelivery, held: Held): boolean {
    const order = compareNumbers(delivery.number, held.number);
    if (order < 0) return true;
    const isNews = order > 0 && (delivery.kind !== "Changes" || this.#standsOn(delivery, held));
    return !isNews && delivery.sentAt <= this.#sentAt;
  }

  /** Takes a message that is no replay; answers what is new in it. */
  hear(delivery: ReadDelivery, held: Held): News | undefined {
    this.#sentAt = delivery.sentAt;
    if (delivery.kind === "Contact" || !this.#isNews(delivery, held)) return undefined;
    const { number, records, refused } = delivery;
    const [before, removed] = delivery.kind === "Changes" ? [this.#whole, delivery.removed] : [undefined, []];
    const whole = this.#after(before, records, removed, held.own);
    if (refused.length === 0) this.#named = new Set([...whole.values()].flatMap(({ keys }) => keys));
    // What a record says that cannot be read nobody knows here: the next delivery has to be whole again.
    this.#whole = refused.length === 0 ? whole : undefined;
    return { number, records, refused, foreign: [...whole.keys()].filter((rootHost) => !held.own.has(rootHost)) };
  }

  /**
   * A newer number is news, of changes if they stand on what is held. A whole delivery with the number that is held says the same, unless
   * the edge was put back to an earlier time and has come to that number again: then it holds from now on what it says now.
   */
  #isNews(delivery: ReadFull | ReadChanges, held: Held): boolean {
    const order = compareNumbers(delivery.number, held.number);
    if (delivery.kind === "Changes") return order > 0 && this.#standsOn(delivery, held);
    return order > 0 || (order === 0 && this.#isOther(delivery, held));
  }

  /** Whether a whole delivery is not what is held. Of records that cannot be read it says nothing. */
  #isOther({ records, refused }: ReadFull, { own, hosts }: Held): boolean {
    const told = this.#whole;
    const isOtherSet = told !== undefined && refused.length === 0 && told.size !== records.length;
    return (
      isOtherSet ||
      records.some((record) => {
        const { rootHost } = record;
        if (told?.has(rootHost) === false) return true;
        return own.has(rootHost) && gist(record) !== gist(hosts[rootHost]?.delivered);
      })
    );
  }

  /** Whether these changes are all that differs from what is held. */
  #standsOn({ since, number }: ReadChanges, held: Held): boolean {
    const isOfOne = since.epoch === held.number.epoch && number.epoch === held.number.epoch;
    return isOfOne && since.n <= held.number.n && this.takesChanges(held);
  }

  #after(
    before: Whole | undefined,
    records: readonly DeliveredRecord[],
    removed: readonly string[],
    own: ReadonlySet<string>,
  ): Whole {
    const whole = new Map(before);
    for (const rootHost of removed) whole.delete(rootHost);
    for (const { rootHost, shares } of records) {
      const keys = shares.filter(({ cluster }) => cluster === this.#cluster).map(({ record }) => record);
      whole.set(rootHost, { keys, isTaken: own.has(rootHost) });
    }
    return whole;
  }
}

/** What is decided and said, without what a view brings anew. */
function gist(record: DeliveredRecord | undefined): string {
  const probes = record?.probes.map(({ regions: _, consecutiveFailures: __, ...probe }) => probe);
  return JSON.stringify({ ...record, probes });
}
