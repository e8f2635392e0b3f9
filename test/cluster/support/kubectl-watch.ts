import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";
import { Daemon } from "./daemon.ts";
import { guard } from "./guard.ts";

/** A `kubectl get … --watch` that goes on, and what it has printed. */
export interface KubectlWatch {
  /** The whole output, as a person sees it. */
  text(): string;
  /** Its lines that have a cell in each column, by the columns of its heading, in order. */
  rows(): Readonly<Record<string, string>>[];
  stop(): Promise<void>;
}

/** Starts kubectl as a person does in a terminal. `args` are those of `kubectl get`. */
export async function startKubectlWatch(cluster: Cluster, args: readonly string[]): Promise<KubectlWatch> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-kubectl-"));
  const release = guard({ folder });
  const daemon = new Daemon({
    name: "kubectl",
    binary: cluster.access.kubectlBinary,
    args: ["get", ...args, "--watch"],
    folder,
    isReady: async () => true,
    env: { KUBECONFIG: cluster.kubeconfig },
  });
  await daemon.start();
  return {
    text: () => daemon.log,
    rows: () => rowsOf(daemon.log),
    async stop() {
      await daemon.stop();
      rmSync(folder, { recursive: true, force: true });
      release();
    },
  };
}

/** Columns grow wider while it runs, so only a line without an empty cell can be parsed. */
function rowsOf(table: string): Record<string, string>[] {
  const [names = [], ...rows] = table
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.trim().split(/ {2,}/));
  return rows
    .filter((cells) => cells.length === names.length)
    .map((cells) => Object.fromEntries(names.map((name, column) => [name, cells[column] ?? ""])));
}
