import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { goEnvironment, goTool, MODULES } from "./go.ts";

/** Programs that one Go module of `MODULES` pins. */
export interface BinarySet<Name extends string> {
  module: string;
  /** The package that each is built from. */
  packages: Readonly<Record<Name, string>>;
  /** Variables that the linker sets, by their full name. */
  variables(): Readonly<Record<string, string>>;
}

const TELL_EVERY_MS = 15_000;

/**
 * The path of each program of a set. The cache in the user's home is keyed by the module's go.mod and go.sum. Missing programs
 * are built first. Tells its progress on standard output. Throws with the compiler's last lines where it fails.
 */
export async function builtBinaries<Name extends string>(set: BinarySet<Name>): Promise<Record<Name, string>> {
  const names = Object.keys(set.packages) as Name[];
  const folder = cacheFolder(set.module);
  const places = Object.fromEntries(names.map((name) => [name, join(folder, name)])) as Record<Name, string>;
  const missing = names.filter((name) => !existsSync(places[name]));
  if (missing.length === 0) return places;
  mkdirSync(dirname(folder), { recursive: true });
  // Nobody ever sees half a set: it is built beside its place and moved there whole.
  const building = mkdtempSync(`${folder}.building-`);
  try {
    const linker = Object.entries(set.variables()).map(([name, value]) => `-X ${name}=${value}`);
    for (const name of names) {
      await build({ module: set.module, name, package: set.packages[name], linker, to: join(building, name) });
    }
    // Another run may have been faster.
    if (names.every((name) => existsSync(places[name]))) return places;
    rmSync(folder, { recursive: true, force: true });
    renameSync(building, folder);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
  return places;
}

function cacheFolder(module: string): string {
  const hash = createHash("sha256");
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(MODULES, module, file)));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "vedette", "cluster", `${module}-${hash.digest("hex").slice(0, 16)}`);
}

interface Build {
  module: string;
  name: string;
  package: string;
  linker: readonly string[];
  to: string;
}

async function build({ module, name, package: source, linker, to }: Build): Promise<void> {
  // With -v the compiler names every package as it comes to it.
  const args = ["build", "-v", "-trimpath", "-ldflags", ["-s", "-w", ...linker].join(" "), "-o", to, source];
  const child = spawn(goTool(), args, {
    cwd: join(MODULES, module),
    env: goEnvironment(),
    stdio: ["ignore", "inherit", "pipe"],
  });
  const ended = once(child, "close");
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const said: string[] = [];
  const tell = setInterval(() => {
    console.log(`building ${name} with Go: ${seconds()} s, ${said.length} packages, now ${said.at(-1) ?? "fetching"}`);
  }, TELL_EVERY_MS);
  try {
    for await (const line of createInterface({ input: child.stderr })) said.push(line);
    const [code] = await ended;
    if (code !== 0) throw new Error(`${basename(goTool())} ${args.join(" ")} failed:\n${said.slice(-20).join("\n")}`);
    console.log(`built ${name} in ${seconds()} s`);
  } finally {
    clearInterval(tell);
  }
}
