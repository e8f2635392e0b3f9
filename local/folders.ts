import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { digest } from "../shared/hash.ts";
import { placeDemoRecords } from "./demo-records.ts";
import { claim, PID_FILE } from "./pidfile.ts";
import { Refusal, type StackPlan } from "./plan.ts";

export type Folders = {
  /** Where this run keeps its state and logs: one folder for the demo, one for each set of own records. */
  state: string;
  /** File or folder of the records. */
  records: string;
  /** Notes a process group that must not outlive the stack. */
  noteGroup(group: number): void;
  release(): void;
};

/** Takes the state folder for this process, empties it where asked, and finds or places the records. */
export function prepareFolders(plan: StackPlan): Folders {
  const own = plan.records === undefined ? undefined : resolve(plan.records);
  if (own !== undefined && !existsSync(own)) throw new Refusal(`--records: there is no file or folder ${own}`);
  const root = resolve(plan.state);
  const claimed = claim(root);
  if ("runningAs" in claimed) {
    throw new Refusal(
      `A local stack runs already in ${root}, as process ${claimed.runningAs}: end it with Ctrl-C there or with ` +
        `kill ${claimed.runningAs}, or choose another folder with --state <folder> and other ports (--help)`,
    );
  }
  if (plan.fresh) empty(root);
  const state = join(root, own === undefined ? "demo" : `own-${digest(own).slice(0, 8)}`);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const records = own ?? join(state, "records.yaml");
  if (own === undefined) placeDemoRecords(records, plan.ports.gateway);
  return { state, records, noteGroup: claimed.addGroup, release: claimed.release };
}

/** Empties only what a stack made: a folder named by mistake keeps its files. */
function empty(root: string): void {
  const ours = readdirSync(root).filter((name) => name !== PID_FILE && /^(demo|own-[0-9a-f]{8})$/.test(name));
  for (const name of ours) rmSync(join(root, name), { recursive: true, force: true });
}
