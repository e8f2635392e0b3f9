import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { KubeClient } from "../../../agent/kubernetes/client.ts";
import { LEASE } from "../../../agent/kubernetes/kinds.ts";
import { until } from "../../e2e/support/until.ts";
import { type ControlPlane, startControlPlane } from "../support/control-plane.ts";
import type { ElectionWord } from "./election-process.ts";

const LEASE_MS = 4_000;

/** A replica in a process of its own. */
class Replica {
  readonly identity: string;
  readonly words: ElectionWord[] = [];
  readonly process: ChildProcess;

  constructor(kubeconfig: string, namespace: string, identity: string, leaseMs: number) {
    this.identity = identity;
    const script = join(import.meta.dirname, "election-process.ts");
    this.process = fork(script, [kubeconfig, namespace, identity, `${leaseMs}`]);
    this.process.on("message", (word: ElectionWord) => this.words.push(word));
  }

  get last(): ElectionWord | undefined {
    return this.words.at(-1);
  }

  at(said: ElectionWord["said"]): number | undefined {
    return this.words.findLast((word) => word.said === said)?.at;
  }

  leads(): Promise<number> {
    return until(`${this.identity} to lead`, () => this.last?.isLeader && this.at("leads"));
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, "exit");
    this.process.kill(signal);
    await ended;
  }
}

let plane: ControlPlane;
let client: KubeClient;
let namespace: string;
const replicas: Replica[] = [];

const start = (identity: string, leaseMs = LEASE_MS) => {
  const replica = new Replica(plane.kubeconfig, namespace, identity, leaseMs);
  replicas.push(replica);
  return replica;
};
/** Two replicas, of which the first leads and the second knows. */
async function startTwo(leaseMs = LEASE_MS): Promise<[Replica, Replica]> {
  namespace = await plane.freshNamespace("election");
  const first = start("first", leaseMs);
  await first.leads();
  const second = start("second", leaseMs);
  await until("the second to know", () => second.last?.leader?.identity === "first");
  return [first, second];
}
/** What a replica says of leading itself while another leads that began at `ledAt`. */
function claimsBeside(replica: Replica, leader: Replica, ledAt: number): ElectionWord[] {
  const endedAt = leader.words.find(({ at, isLeader }) => at > ledAt && !isLeader)?.at ?? Number.POSITIVE_INFINITY;
  return replica.words.filter(({ at, isLeader }) => isLeader && at >= ledAt && at < endedAt);
}
const renewedAt = async () => {
  const lease = await client.get(LEASE, { name: "leader", namespace });
  const { renewTime = "" } = (lease?.spec ?? {}) as { renewTime?: string };
  return Date.parse(renewTime);
};

beforeAll(async () => {
  plane = await startControlPlane({ controllerManager: false });
  client = new KubeClient(plane.config);
});
afterEach(async () => {
  await Promise.all(replicas.splice(0).map((replica) => replica.end("SIGKILL")));
});
afterAll(() => plane.stop());

test("a follower reads where the leader is to be reached", async () => {
  const [, second] = await startTwo();
  expect(second.last).toMatchObject({
    isLeader: false,
    leader: { identity: "first", annotations: { "vedette.dev/forward-to": "http://first" } },
  });
});

test("a leader that is killed is followed when its Lease is over, and not before; again and again", async () => {
  let [leader, follower] = await startTwo();
  for (const identity of ["third", "fourth"]) {
    await leader.end("SIGKILL");
    const diedAfter = await renewedAt();
    const ledAt = await follower.leads();
    expect(ledAt - diedAfter).toBeGreaterThanOrEqual(LEASE_MS);
    [leader, follower] = [follower, start(identity)];
    await until("the new one to know", () => follower.last?.leader?.identity === leader.identity);
  }
});

test("a leader that ends in order is followed at once", async () => {
  const [first, second] = await startTwo(60_000);
  await first.end("SIGTERM");
  await until("the second to lead, long before the Lease is over", () => second.last?.isLeader, 40_000);
  expect(first.at("lost")).toBeLessThanOrEqual(second.at("leads") ?? 0);
});

test("a leader that is halted knows, as soon as it goes on, that it leads no more", async () => {
  const [first, second] = await startTwo();
  first.process.kill("SIGSTOP");
  const ledAt = await second.leads();
  const known = first.words.length;
  first.process.kill("SIGCONT");
  await until("the first to speak again", () => first.words.slice(known).some(({ at }) => at > ledAt));
  expect(claimsBeside(first, second, ledAt)).toEqual([]);
});

test("without the API server the leader gives up before its Lease is over; with it one leads again, never two", async () => {
  const [first, second] = await startTwo();
  await plane.apiserver.stop("SIGKILL");
  const stoppedAt = Date.now();
  await until("the leader to give up", () => first.at("lost"));
  // It answers by its clock, however late the loss is reported.
  await until("the Lease to be over", () => (first.last?.at ?? 0) > stoppedAt + LEASE_MS);
  expect(first.words.filter(({ at, isLeader }) => isLeader && at >= stoppedAt + LEASE_MS)).toEqual([]);
  await plane.apiserver.start();
  await until("one to lead", () => first.last?.isLeader || second.last?.isLeader);
  const [one, other] = first.last?.isLeader ? [first, second] : [second, first];
  const ledAt = one.at("leads") ?? 0;
  await until("the other to know", () => other.last?.leader?.identity === one.identity);
  expect(claimsBeside(other, one, ledAt)).toEqual([]);
});
