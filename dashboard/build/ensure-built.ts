/**
 * Builds the view into `dist/dashboard` if its sources changed since the last build. Used by `npm run build:dashboard`,
 * wrangler's [build] command and vitest.config.ts.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const TARGET = join(ROOT, "dist/dashboard");
const STAMP = join(ROOT, "dist/dashboard.digest");
const SOURCES = ["dashboard", "shared"];
/** The tools of the build. */
const LOCK = join(ROOT, "package-lock.json");

const digest = digestOfSources();
if (!existsSync(join(TARGET, "index.html")) || !existsSync(STAMP) || readFileSync(STAMP, "utf8") !== digest) {
  await buildInto(TARGET);
  writeFileSync(STAMP, digest);
}

/** Builds beside the target and then swaps, so that a concurrent reader sees one whole build. */
async function buildInto(target: string): Promise<void> {
  // Loaded only if there is something to build: the import alone takes half a second.
  const { build } = await import("vite");
  const draft = `${target}.${process.pid}`;
  const configFile = join(ROOT, "dashboard/vite.config.ts");
  mkdirSync(draft, { recursive: true });
  try {
    await build({ configFile, mode: "production", logLevel: "warn", build: { outDir: draft } });
    replace(target, draft);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function replace(target: string, draft: string): void {
  const old = `${draft}.old`;
  try {
    if (existsSync(target)) renameSync(target, old);
    renameSync(draft, target);
  } catch (error) {
    // Another build of the same sources finished first.
    if (!existsSync(join(target, "index.html"))) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}

function digestOfSources(): string {
  const hash = createHash("sha256").update(readFileSync(LOCK));
  const files = SOURCES.flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) hash.update(file).update(readFileSync(file));
  return hash.digest("hex");
}
