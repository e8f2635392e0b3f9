import { KubeClient } from "../../../agent/kubernetes/client.ts";
import { Election } from "../../../agent/kubernetes/election.ts";
import { configOf } from "../support/cluster.ts";

/** What a replica tells its parent, with its wall clock in Unix ms. */
export interface ElectionWord {
  said: "leads" | "lost" | "holds";
  at: number;
  isLeader: boolean;
  leader: { identity: string; annotations: Readonly<Record<string, string>> } | undefined;
}

const TELL_EVERY_MS = 50;
const [kubeconfig = "", namespace = "", identity = "", leaseMs = ""] = process.argv.slice(2);

const tell = (said: ElectionWord["said"]) =>
  process.send?.({ said, at: Date.now(), isLeader: election.isLeader, leader: election.leader } satisfies ElectionWord);

const election = new Election({
  client: new KubeClient(configOf(kubeconfig)),
  name: "leader",
  namespace,
  identity,
  annotations: { "vedette.dev/forward-to": `http://${identity}` },
  leaseMs: Number(leaseMs),
  renewMs: Number(leaseMs) / 4,
  onLeader: () => tell("leads"),
  onLost: () => tell("lost"),
  log: () => {},
  now: Date.now,
  elapsedMs: () => performance.now(),
  random: Math.random,
});
election.start();
const telling = setInterval(() => tell("holds"), TELL_EVERY_MS);

process.once("SIGTERM", async () => {
  clearInterval(telling);
  await election.stop();
  process.disconnect();
});
