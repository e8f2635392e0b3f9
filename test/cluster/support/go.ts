import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

export const MODULES = join(import.meta.dirname, "..", "binaries");

/** Where Go is installed where PATH does not name it. */
const USUAL_PLACES = ["/usr/local/go/bin/go", "/usr/lib/go/bin/go", "/opt/homebrew/bin/go"];

/** The Go tool, from PATH or where it is installed by custom. Without one it throws with what to do. */
export function goTool(): string {
  const places = (process.env.PATH ?? "").split(":").map((folder) => join(folder, "go"));
  const found = [...places, ...USUAL_PLACES].find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new Error(
    "The tests on a real Kubernetes API server build it with Go, and there is no Go here. Install Go 1.26.6 or newer " +
      "(https://go.dev/dl) and put it on PATH, or at /usr/local/go.",
  );
}

/** The environment of the Go tool in one of the modules of `MODULES`: only what the module itself names counts. */
export function goEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=readonly -buildvcs=false" };
}

/** The version, as the module's go.mod has it, of a module that it needs. */
export function versionOf(module: string, dependency: string): string {
  const args = ["list", "-m", "-f", "{{.Version}}", dependency];
  const cwd = join(MODULES, module);
  return execFileSync(goTool(), args, { cwd, env: goEnvironment(), encoding: "utf8" }).trim();
}

/** The folder with the source of a module that the module needs, fetched where it is not there yet. */
export async function sourceOf(module: string, dependency: string): Promise<string> {
  const args = ["mod", "download", "-json", dependency];
  const options = { cwd: join(MODULES, module), env: goEnvironment() };
  const { stdout } = await promisify(execFile)(goTool(), args, options);
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}
