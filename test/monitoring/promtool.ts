import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Where the dashboard and the rules lie. */
export const MONITORING = join(import.meta.dirname, "../../deploy/monitoring");

export const HAS_PROMTOOL = isInstalled();

/** What promtool says to these arguments, in the folder of the rules; `ok` where it has nothing against it. */
export function promtool(args: readonly string[], input = ""): { ok: boolean; said: string } {
  const { status, stdout, stderr } = spawnSync("promtool", args, { cwd: MONITORING, input, encoding: "utf8" });
  return { ok: status === 0, said: `${stdout}${stderr}`.trim() };
}

function isInstalled(): boolean {
  if (spawnSync("promtool", ["--version"]).status === 0) return true;
  const how = "Debian has it in the package prometheus: apt-get install --no-install-recommends prometheus.";
  if (process.env.VEDETTE_ALL_SERVERS !== undefined) throw new Error(`promtool has to be installed here. ${how}`);
  console.warn(`promtool is not installed: metrics and alert rules are NOT checked by it. ${how}`);
  return false;
}
