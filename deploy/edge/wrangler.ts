import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SECRET_NAMES } from "./secrets.ts";
import { Stop } from "./stop.ts";

/** An entry of wrangler's machine-readable output (WRANGLER_OUTPUT_FILE_PATH), with the fields that are read here. */
export interface Outcome {
  type: string;
  /** For `deploy`: the URLs of the Worker and other triggers. */
  targets?: string[];
  version_id?: string;
  /** For `command-failed`: the error code of Cloudflare's API and its text. */
  code?: number;
  message?: string;
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  outcomes: Outcome[];
}

/** Runs wrangler and captures its output. `input` goes only to its standard input. */
export function askWrangler(args: readonly string[], input = ""): Promise<Ran> {
  return run(args, "pipe", input);
}

/** Runs wrangler on the terminal. It shows its output and can prompt. */
export function showWrangler(args: readonly string[]): Promise<Ran> {
  return run(args, "inherit", "");
}

/** The URL of a deployed Worker. wrangler reports URLs, and the hosts of custom domains. */
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
    // If wrangler exits before it has read everything, its exit code shows the failure.
    child.stdin?.on("error", () => undefined).end(input);
    const [code] = (await once(child, "close")) as [number | null];
    return { code: code ?? 1, stdout: await stdout, stderr: await stderr, outcomes: outcomesIn(outcomesFile) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Stop("wrangler cannot be found.", "Run npm ci, then start this with npm run.");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** wrangler must not get the edge's secrets. */
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
