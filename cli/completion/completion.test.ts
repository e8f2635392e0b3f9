import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../program.ts";
import { bashScript } from "./bash.ts";
import { commandNodes } from "./command-nodes.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

const places = commandNodes(createProgram(() => Promise.resolve()));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vedette-completion-"));
  for (const [shell, script] of Object.entries({ bash: bashScript, zsh: zshScript, fish: fishScript })) {
    writeFileSync(join(folder, shell), script(places));
  }
  writeFileSync(join(folder, "my records.yaml"), "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isInstalled = (shell: string) => spawnSync(shell, ["--version"]).error === undefined;
/** Where the servers of other tests have to be there, the shells have to be, too. */
const mayLack = (shell: string) => !isInstalled(shell) && process.env.VEDETTE_ALL_SERVERS === undefined;

/** What is typed, the last word being completed, and what has to be among the answers, and what must not. */
const CASES: [typed: string[], among: string[], never: string[]][] = [
  [[""], ["status", "explain", "cluster", "completion"], ["add"]],
  [["st"], ["status"], ["explain"]],
  [["cluster", ""], ["add", "rotate", "remove", "list"], ["status"]],
  [["--edge", "status", "cl"], ["cluster"], ["status"]],
  [["status", "--"], ["--watch", "--exit-code", "--edge", "--output"], ["--region"]],
  [["cluster", "add", "--"], ["--host", "--webhook-url", "--namespace"], ["--watch"]],
  [["-o", ""], ["table", "json", "yaml"], ["status"]],
  [["status", "--output", "y"], ["yaml"], ["json"]],
  [["check", "https://a.test/", "--region", "w"], ["wnam", "weur"], ["enam"]],
  [["events", "--type", "Dec"], ["DecisionChanged"], ["VerdictChanged"]],
  [["completion", ""], ["bash", "zsh", "fish"], []],
  [["lint", "my"], ["my records.yaml"], ["status"]],
  [["--token-file", "my"], ["my records.yaml"], ["status"]],
];

describe("what a shell completes", () => {
  it.each(CASES)("bash: %j", (typed, among, never) => {
    const words = ["vedette", ...typed].map((word) => `'${word}'`).join(" ");
    const line = `source ./bash; COMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _vedette; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const given = execFileSync("bash", ["--norc", "-c", line], { cwd: folder, encoding: "utf8" }).split("\n");
    expect(given).toEqual(expect.arrayContaining(among));
    for (const word of never) expect(given).not.toContain(word);
  });

  it.skipIf(mayLack("fish")).each(CASES)("fish, where it is installed: %j", (typed, among, never) => {
    const line = `source ./fish; complete -C "$argv"`;
    const text = ["vedette", ...typed].join(" ");
    const output = execFileSync("fish", ["--no-config", "-c", line, text], { cwd: folder, encoding: "utf8" });
    const given = output.split("\n").map((one) => one.split("\t")[0]?.replaceAll("\\", ""));
    expect(given).toEqual(expect.arrayContaining(among));
    for (const word of never) expect(given).not.toContain(word);
  });

  it.skipIf(mayLack("zsh")).each(CASES)("zsh, where it is installed: %j", (typed, among, never) => {
    const given = inZsh(typed);
    for (const word of among) expect(given).toContain(word);
    for (const word of never) expect(given).not.toMatch(new RegExp(`^${word}\\b`, "m"));
  });

  it.skipIf(mayLack("zsh"))("zsh, where it is installed: parses it without a word", () => {
    expect(spawnSync("zsh", ["-fn", join(folder, "zsh")], { encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });
});

/** The helpers of zsh work in a line editor only: doubles of them print what they are given, as far as it begins as typed. */
function inZsh(typed: readonly string[]): string {
  const words = ["vedette", ...typed].map((word) => `'${word}'`).join(" ");
  const line = `
    compdef() { : }
    show() { local one; for one in "$@"; do [[ "$one" == "\${words[CURRENT]}"* ]] && print -r -- "$one"; done }
    compadd() { shift; show "$@" }
    _describe() { show "\${found[@]}" }
    _files() { show *(N) }
    _message() { : }
    source ./zsh
    words=(${words}); CURRENT=${typed.length + 1}
    _vedette
    true`;
  return execFileSync("zsh", ["-f", "-c", line], { cwd: folder, encoding: "utf8" });
}
