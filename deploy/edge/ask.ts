import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { SecretName, Secrets } from "./secrets.ts";

/** Asks on the terminal for secrets, one after the other, without showing what is typed. Those left empty are absent. */
export async function askFor(names: readonly SecretName[]): Promise<Secrets> {
  const { stdin, stderr } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true });
  lines.on("SIGINT", () => process.exit(130));
  const given: Secrets = {};
  for (const name of names) {
    stderr.write(`${name} (nothing is shown; Enter alone makes one): `);
    const text = (await lines.question("")).trim();
    stderr.write("\n");
    if (text !== "") given[name] = text;
  }
  lines.close();
  return given;
}
