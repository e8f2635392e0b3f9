import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ORIGINAL = join(import.meta.dirname, "demo", "records.yaml");

/**
 * Puts a copy of the demo's record where the user may edit it, with the port of the gateways. A copy that is there
 * stays, unless it was made for gateways on another port.
 */
export function placeDemoRecords(copy: string, gatewayPort: number): void {
  const port = `port: ${gatewayPort}\n`;
  if (existsSync(copy) && readFileSync(copy, "utf8").includes(port)) return;
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, readFileSync(ORIGINAL, "utf8").replace(/port: \d+\n/, port));
}
