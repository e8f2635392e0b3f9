import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { random as seededRandom } from "../../test/support/random.ts";
import { Election } from "./election.ts";
import { KubeError } from "./errors.ts";
import type { KubeObject } from "./object.ts";

const LEASE_MS = 10_000;
const TROUBLED_MS = 120_000;

const fail = (code: number, reason: string) =>
  new KubeError({ verb: "replace", what: "leases" }, { code, reason, message: "" });
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A replica's way to the server: a bad one delays, loses and doubles requests and answers. */
interface Line {
  isCut: boolean;
  isBad: boolean;
}

/** A server that is reached by such lines. */
class Network {
  readonly #random: () => number;
  #lease: KubeObject | undefined;
  #version = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  client(line: Line) {
    const call = <T>(work: () => T, deadlineMs = 15_000): Promise<T> => this.#call(line, work, deadlineMs);
    return {
      get: (_: unknown, __: unknown, { deadlineMs }: { deadlineMs?: number | undefined } = {}) =>
        call(() => this.#lease, deadlineMs),
      create: (_: unknown, object: KubeObject, { deadlineMs }: { deadlineMs?: number | undefined } = {}) =>
        call(() => this.#write(object, undefined), deadlineMs),
      replace: (_: unknown, object: KubeObject, { deadlineMs }: { deadlineMs?: number | undefined } = {}) =>
        call(() => this.#write(object, object.metadata.resourceVersion), deadlineMs),
    };
  }

  #write(object: KubeObject, expected: string | undefined): KubeObject {
    if (expected !== this.#lease?.metadata.resourceVersion) throw fail(409, "Conflict");
    this.#version += 1;
    this.#lease = { ...object, metadata: { ...object.metadata, resourceVersion: `${this.#version}` } };
    return this.#lease;
  }

  async #call<T>(line: Line, work: () => T, deadlineMs: number): Promise<T> {
    const late = sleep(deadlineMs).then(() => Promise.reject(fail(0, "Timeout")));
    return await Promise.race([late, this.#deliver(line, work)]);
  }

  async #deliver<T>(line: Line, work: () => T): Promise<T> {
    await sleep(this.#delayMs(line));
    if (line.isCut || this.#happens(line, 0.1)) return await new Promise<never>(() => {});
    if (this.#happens(line, 0.1))
      void sleep(this.#delayMs(line))
        .then(work)
        .catch(() => {});
    let answer: T | KubeError;
    try {
      answer = work();
    } catch (error) {
      answer = error as KubeError;
    }
    await sleep(this.#delayMs(line));
    if (line.isCut || this.#happens(line, 0.1)) return await new Promise<never>(() => {});
    if (this.#happens(line, 0.05)) throw fail(500, "InternalError");
    if (answer instanceof KubeError) throw answer;
    return answer;
  }

  /** Mostly a few milliseconds; on a bad line sometimes longer than any deadline and than the Lease itself. */
  #delayMs({ isBad }: Line): number {
    if (!isBad || this.#random() < 0.7) return this.#random() * 20;
    return this.#random() * (this.#random() < 0.3 ? 25_000 : 5_000);
  }

  #happens({ isBad }: Line, probability: number): boolean {
    return isBad && this.#random() < probability;
  }
}

/** Replicas start and stop, are cut off, and have different clocks. The winner is compared with all others. */
class Replicas {
  readonly all: { election: Election; line: Line; leads: boolean }[] = [];
  readonly faults: string[] = [];
  wins = 0;
  readonly #network: Network;
  readonly #random: () => number;

  constructor(network: Network, random: () => number) {
    this.#network = network;
    this.#random = random;
  }

  add(): void {
    const line = { isCut: false, isBad: this.#random() < 0.5 };
    const identity = `replica-${this.all.length}`;
    const rate = 0.97 + this.#random() * 0.06;
    const offset = this.#random() * 1e9;
    const election = new Election({
      client: this.#network.client(line),
      name: "leader",
      namespace: "vedette",
      identity,
      annotations: {},
      leaseMs: LEASE_MS,
      // Slower to renew and quicker to look than usual: the least room that the rules allow.
      renewMs: 4_500,
      pollMs: 300,
      onLeader: () => {
        for (const other of this.all) {
          if (other === replica) continue;
          if (other.leads || other.election.isLeader) this.faults.push(`${identity} leads beside another`);
        }
        this.wins += 1;
        replica.leads = true;
      },
      onLost: () => {
        replica.leads = false;
      },
      log: () => {},
      now: () => this.#random() * 4e12,
      elapsedMs: () => offset + performance.now() * rate,
      random: this.#random,
    });
    const replica = { election, line, leads: false };
    this.all.push(replica);
    election.start();
  }

  /** Something happens to one of them. */
  disturb(): void {
    const replica = this.all[Math.floor(this.#random() * this.all.length)]!;
    const choice = this.#random();
    if (choice < 0.3) replica.line.isCut = !replica.line.isCut;
    else if (choice < 0.6) replica.line.isBad = !replica.line.isBad;
    else if (choice < 0.7) {
      void replica.election.stop();
      this.add();
    }
  }
}

beforeAll(() => void vi.useFakeTimers());
afterAll(() => void vi.useRealTimers());

test("never two leaders at one moment, whatever the network does; and one soon after it is well again", async () => {
  let wins = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const random = seededRandom(seed);
      const network = new Network(random);
      const replicas = new Replicas(network, random);
      for (let count = 0; count < 3; count++) replicas.add();
      for (let passed = 0; passed < TROUBLED_MS; passed += 2_000) {
        await vi.advanceTimersByTimeAsync(2_000);
        replicas.disturb();
      }
      for (const { line } of replicas.all) Object.assign(line, { isCut: false, isBad: false });
      await vi.advanceTimersByTimeAsync(40_000);
      expect(replicas.faults).toEqual([]);
      expect(replicas.all.filter(({ election }) => election.isLeader)).toHaveLength(1);
      wins += replicas.wins;
      for (const { election } of replicas.all) void election.stop();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(vi.getTimerCount()).toBe(0);
    }),
    { numRuns: propertyRuns(150) },
  );
  // Else nothing was tried: leaders that change are what this is about.

  expect(wins).toBeGreaterThan(propertyRuns(450));
}, 120_000);
