import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { SecretName, Secrets } from "./secrets.ts";

/** Prompts for secrets on the terminal, one after the other, without echo. Empty ones are left out. */
export async function askFor(names: readonly SecretName[]): Promise<Secrets> {
  const { stdin, stderr } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true });
  lines.on("SIGINT", () => process.exit(130));
  const answers: Secrets = {};
  for (const name of names) {
    stderr.write(`${name} (input is hidden; press Enter to generate one): `);
    const text = (await lines.question("")).trim();
    stderr.write("\n");
    if (text !== "") answers[name] = text;
  }
  lines.close();
  return answers;
}
