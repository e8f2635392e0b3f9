/**
 * Builds the view into `dist/dashboard` where its sources are not those it was last built from: `npm run build:dashboard`,
 * wrangler's [build] command and vitest.config.ts.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const TARGET = join(ROOT, "dist/dashboard");
const STAMP = join(ROOT, "dist/dashboard.digest");
const SOURCES = ["dashboard", "shared"];
/** What it is built with. */
const LOCK = join(ROOT, "package-lock.json");

const digest = digestOfSources();
if (!existsSync(join(TARGET, "index.html")) || !existsSync(STAMP) || readFileSync(STAMP, "utf8") !== digest) {
  await buildInto(TARGET);
  writeFileSync(STAMP, digest);
}

/** Whoever serves or builds at the same moment sees the whole of one build: it is made beside the target. */
async function buildInto(target: string): Promise<void> {
  // Loaded only where there is something to build: that alone takes half a second.
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
    // Another build of the same sources was there first.
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
