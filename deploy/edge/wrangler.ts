import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SECRET_NAMES } from "./secrets.ts";
import { Stop } from "./stop.ts";

/** What wrangler writes about a run for machines (WRANGLER_OUTPUT_FILE_PATH), as far as it is read here. */
export interface Outcome {
  type: string;
  /** Of `deploy`: where the Worker answers, and other triggers. */
  targets?: string[];
  version_id?: string;
  /** Of `command-failed`: the number of the error of Cloudflare's API, and its text. */
  code?: number;
  message?: string;
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  outcomes: Outcome[];
}

/** Runs wrangler with nothing shown. @param input goes to its standard input, and nowhere else */
export function askWrangler(args: readonly string[], input = ""): Promise<Ran> {
  return run(args, "pipe", input);
}

/** Runs wrangler as a person would: it shows what it does, and may ask. */
export function showWrangler(args: readonly string[]): Promise<Ran> {
  return run(args, "inherit", "");
}

/** Where a deployed Worker answers. wrangler names URLs, and custom domains by their host. */
export function urlIn({ outcomes }: Ran): URL | undefined {
  const targets = outcomes.find(({ type }) => type === "deploy")?.targets ?? [];
  const domain = targets
    .map((target) => /^(\S+) \(custom domain\b/.exec(target)?.[1])
    .find((host) => host !== undefined);
  const text = domain === undefined ? targets.find((target) => /^https?:\/\//.test(target)) : `https://${domain}`;
  return text === undefined ? undefined : (URL.parse(text) ?? undefined);
}

async function run(args: readonly string[], stdio: "pipe" | "inherit", input: string): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-wrangler-"));
  const outcomesFile = join(folder, "outcomes.ndjson");
  try {
    const child = spawn("wrangler", args, {
      stdio,
      env: { ...withoutSecrets(process.env), WRANGLER_OUTPUT_FILE_PATH: outcomesFile },
    });
    const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
    // One that ends before it has read all says why in its code.
    child.stdin?.on("error", () => undefined).end(input);
    const [code] = (await once(child, "close")) as [number | null];
    return { code: code ?? 1, stdout: await stdout, stderr: await stderr, outcomes: outcomesIn(outcomesFile) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Stop("There is no wrangler to be run.", "Run npm ci, and start this with npm run.");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** wrangler must not see the values for the edge. */
function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !(SECRET_NAMES as readonly string[]).includes(name) && name !== "VEDETTE_TOKEN",
    ),
  );
}

async function textOf(stream: AsyncIterable<Buffer> | null): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

function outcomesIn(file: string): Outcome[] {
  try {
    const lines = readFileSync(file, "utf8").split("\n");
    return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as Outcome);
  } catch {
    return [];
  }
}
