import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";

/** Where the dashboard and the rules lie. */
export const MONITORING = join(import.meta.dirname, "../../deploy/monitoring");

export const HAS_PROMTOOL = isInstalled();

/** What promtool says to these arguments, in the folder of the rules; `ok` where it has nothing against it. */
export function promtool(args: readonly string[], input = ""): { ok: boolean; said: string } {
  const { status, stdout, stderr } = spawnSync("promtool", args, { cwd: MONITORING, input, encoding: "utf8" });
  return { ok: status === 0, said: `${stdout}${stderr}`.trim() };
}

/** What promtool says to expressions of PromQL. */
export function checkExpressions(expressions: readonly string[]): ReturnType<typeof promtool> {
  const rules = expressions.map((expr, at) => ({ record: `expression_${at}`, expr }));
  const folder = mkdtempSync(join(tmpdir(), "vedette-promtool-"));
  try {
    const file = join(folder, "rules.yaml");
    writeFileSync(file, stringify({ groups: [{ name: "expressions", rules }] }));
    return promtool(["check", "rules", file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function isInstalled(): boolean {
  if (spawnSync("promtool", ["--version"]).status === 0) return true;
  const how = "Debian has it in the package prometheus: apt-get install --no-install-recommends prometheus.";
  if (process.env.VEDETTE_ALL_SERVERS !== undefined) throw new Error(`promtool has to be installed here. ${how}`);
  console.warn(`promtool is not installed: metrics and alert rules are NOT checked by it. ${how}`);
  return false;
}
