import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "..", "..");
const VALID = "local/demo/records.yaml";
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vedette-install-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What it prints, with nothing on standard error. */
function run(command: string, args: readonly string[], env: Record<string, string> = {}): string {
  const { PATH = "", HOME = "" } = process.env;
  const options = { cwd: ROOT, env: { PATH, HOME, ...env }, encoding: "utf8" } as const;
  return execFileSync(command, args, { ...options, stdio: ["ignore", "pipe", "inherit"] });
}

/** The folders of `PATH`, without those that npm and vitest put there. */
const ownPath = () =>
  (process.env.PATH ?? "")
    .split(":")
    .filter((part) => !part.includes("node_modules"))
    .join(":");

test("npx vedette runs it from the project's folder, whatever Node the machine has", () => {
  expect(run("npx", ["vedette", "--version"], { PATH: ownPath() })).toBe(`${manifest.version}\n`);
  expect(run("npx", ["vedette", "lint", VALID], { PATH: ownPath() })).toContain("no fault");
});

test("a link to it runs it, too, as npm link makes one", () => {
  const link = join(folder, "vedette");
  symlinkSync(join(ROOT, "cli", "vedette.js"), link);
  expect(run(link, ["lint", VALID], { PATH: ownPath() })).toContain("no fault");
});

test("what npm packs runs under node_modules, where Node strips no types", () => {
  const archive = run("npm", ["pack", "--silent", "--pack-destination", folder]).trim();
  const modules = join(folder, "node_modules");
  const installed = join(modules, "vedette");
  mkdirSync(installed, { recursive: true });
  run("tar", ["-xzf", join(folder, archive), "-C", installed, "--strip-components=1"]);
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  const program = join(installed, "cli", "vedette.js");
  const { status, output } = tried(program, ["lint", VALID]);
  expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(/^1 file, 1 DNSRecord: no fault\n$/) });
  expect(tried(program, ["lint", "nowhere.yaml"]).status).toBe(2);
  const left = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter((name) => /\.test\.ts$/.test(name));
  expect(left).toEqual([]);
});

/** Both outputs together, and how it ended. */
function tried(program: string, args: readonly string[]) {
  const line = `"${process.execPath}" "${program}" ${args.join(" ")} 2>&1; echo "ended $?"`;
  const text = run("sh", ["-c", line]);
  const [output = "", status] = text.split("ended ");
  return { output, status: Number(status) };
}
