import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { type Inspector, inspect } from "./inspector.ts";

const ROOT = join(import.meta.dirname, "../../..");
/** What Linux counts CPU time in, for programs: USER_HZ, which is 100 on every architecture of today. */
const TICK_MS = 10;

/** Where files are in memory: each write of storage would wait for one disk here, which no object has to share there. */
const MEMORY = "/dev/shm";

/** One process of workerd with the edge in it, asked without anything in between. */
export interface Workerd {
  url: string;
  /** User and system time that it has had in all, ms. */
  cpuMs: () => number;
  /** MB, of the whole process: the runtime itself, all objects, SQLite. */
  residentMb: () => number;
  inspector: Inspector;
  stop: () => Promise<void>;
}

export interface Workplace {
  /** Starts workerd over the storage of this place, which outlives the process. @param driver where probers and agent are */
  start: (driver: string) => Promise<Workerd>;
  remove: () => void;
}

/** Bundles the edge into a folder of its own, beside its storage. */
export async function makeWorkplace(adminToken: string): Promise<Workplace> {
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "vedette-scale-"));
  mkdirSync(join(folder, "disk"));
  const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
  const config = join(import.meta.dirname, "wrangler.toml");
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_PATH: join(folder, "wrangler.log") };
  const args = [wrangler, "deploy", "--dry-run", "--outdir", folder, "-c", config];
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
  return {
    start: (driver) => {
      writeFileSync(join(folder, "config.capnp"), configOf({ ADMIN_TOKEN: adminToken, DRIVER: driver }));
      return startIn(folder);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const CLASSES = {
  PROBER: "Prober",
  COORDINATOR: "Coordinator",
  CLUSTER: "Cluster",
  NOTIFIER: "Notifier",
  SINK: "Sink",
};

function configOf(settings: Record<string, string>): string {
  const all = { ...settings, ALLOW_PRIVATE_ADDRESSES: "true", CANARIES: "", COLO_URL: "" };
  const texts = Object.entries(all).map(([name, value]) => `(name = "${name}", text = ${JSON.stringify(value)})`);
  const objects = Object.entries(CLASSES).map(
    ([name, kind]) => `(name = "${name}", durableObjectNamespace = "${kind}")`,
  );
  const kinds = Object.values(CLASSES).map(
    (kind) => `(className = "${kind}", uniqueKey = "${kind}", enableSql = true)`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ["--expose-gc"],
  services = [
    (name = "main", worker = .edge),
    (name = "out", network = (allow = ["public", "private"])),
    (name = "disk", disk = (path = "disk", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const edge :Workerd.Worker = (
  modules = [(name = "entry.js", esModule = embed "entry.js")],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["global_fetch_strictly_public"],
  globalOutbound = "out",
  bindings = [${[...texts, ...objects].join(", ")}],
  durableObjectNamespaces = [${kinds.join(", ")}],
  durableObjectStorage = (localDisk = "disk"),
);
`;
}

async function startIn(folder: string): Promise<Workerd> {
  const args = ["serve", "config.capnp", "--inspector-addr=127.0.0.1:0", "--control-fd=3"];
  const child = spawn(join(ROOT, "node_modules/workerd/bin/workerd"), args, {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const { http, inspector } = await portsOf(child);
  const pid = child.pid ?? 0;
  return {
    url: `http://127.0.0.1:${http}`,
    cpuMs: () => cpuMs(pid),
    residentMb: () => residentMb(pid),
    inspector: await inspect(inspector),
    stop: () => stop(child),
  };
}

async function portsOf(child: ChildProcess): Promise<{ http: number; inspector: number }> {
  const ports = new Map<string, number>();
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const { event, socket = "inspector", port } = JSON.parse(line);
    if (event.startsWith("listen")) ports.set(socket, port);
    const [http, inspector] = [ports.get("http"), ports.get("inspector")];
    if (http !== undefined && inspector !== undefined) return { http, inspector };
  }
  throw new Error("workerd ended before it listened: what it said is above");
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}

function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}
