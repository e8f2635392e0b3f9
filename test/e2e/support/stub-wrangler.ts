import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the account that the stub stands for has, and does. */
export type Account = {
  loggedIn: boolean;
  accounts: { id: string; name: string }[];
  /** Whether the Worker is there, and its secrets' names. */
  worker: boolean;
  secrets: string[];
  /** Where a deployed Worker answers. */
  targets: string[];
  refusal?: { code: number; message: string } | undefined;
};

export type StubCall = { args: string[]; input: string; env: string[] };

export type StubWrangler = {
  /** To be put before PATH. */
  folder: string;
  account(): Account;
  become(change: Partial<Account>): void;
  /** Calls since the last time that this was asked. */
  calls(): StubCall[];
  remove(): void;
};

const PROGRAM = String.raw`
const { appendFileSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const file = join(__dirname, "account.json");
const account = JSON.parse(readFileSync(file, "utf8"));
const args = process.argv.slice(2);
const is = (...words) => words.every((word, n) => args[n] === word);
const input = is("secret", "bulk") ? readFileSync(0, "utf8") : "";
const env = Object.keys(process.env).filter((name) => /TOKEN|KEY/.test(name));
appendFileSync(join(__dirname, "calls.ndjson"), JSON.stringify({ args, input, env }) + "\n");
const told = (entry) => appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, JSON.stringify({ version: 1, ...entry }) + "\n");
const fail = (code, message) => {
  told({ type: "command-failed", code, message });
  console.error(message + " [code: " + code + "]");
  process.exit(1);
};
if (is("whoami")) {
  console.log(JSON.stringify(account.loggedIn ? { loggedIn: true, accounts: account.accounts } : { loggedIn: false }));
  process.exit(account.loggedIn ? 0 : 1);
}
if (is("secret", "list")) {
  if (!account.worker) fail(10007, "This Worker does not exist on your account.");
  console.log(JSON.stringify(account.secrets.map((name) => ({ name, type: "secret_text" }))));
}
if (is("deploy") && !args.includes("--dry-run")) {
  if (account.refusal) fail(account.refusal.code, account.refusal.message);
  account.worker = true;
  told({ type: "deploy", targets: account.targets, version_id: "v" });
}
if (is("secret", "bulk")) account.secrets = [...new Set([...account.secrets, ...Object.keys(JSON.parse(input))])];
writeFileSync(file, JSON.stringify(account));
`;

/** An executable named wrangler that notes how it was called. It stands for an account on the internet, and for nothing else. */
export function makeStubWrangler(first: Account): StubWrangler {
  const folder = mkdtempSync(join(tmpdir(), "vedette-stub-"));
  const program = join(folder, "wrangler");
  writeFileSync(program, `#!${process.execPath}\n${PROGRAM}`);
  chmodSync(program, 0o755);
  const file = join(folder, "account.json");
  const account = () => JSON.parse(readFileSync(file, "utf8")) as Account;
  const callsFile = join(folder, "calls.ndjson");
  writeFileSync(file, JSON.stringify(first));
  writeFileSync(callsFile, "");
  return {
    folder,
    account,
    become: (change) => writeFileSync(file, JSON.stringify({ ...account(), ...change })),
    calls() {
      const lines = readFileSync(callsFile, "utf8").trim().split("\n").filter(Boolean);
      writeFileSync(callsFile, "");
      return lines.map((line) => JSON.parse(line) as StubCall);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
