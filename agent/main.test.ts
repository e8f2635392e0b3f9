import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Bench, manifest } from "../test/support/agent/agent.ts";
import { delivered, delivery } from "../test/support/agent/delivered.ts";
import { addresses } from "../test/support/agent/dns-client.ts";
import { SECRET } from "../test/support/agent/fake-edge.ts";
import { stateSchema } from "./status/state.ts";

vi.setConfig({ testTimeout: 90_000 });
const MAIN = join(import.meta.dirname, "main.ts");
const leaves = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];

let bench: Bench;
const children = new Set<ChildProcess>();
beforeEach(async () => {
  bench = await Bench.open();
  await bench.put("x.yaml", manifest("x", leaves));
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  await bench.close();
});

function run(
  flags: string[],
  environment: NodeJS.ProcessEnv = {},
): { child: ChildProcess; lines: string[]; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [MAIN, ...flags], {
    env: { ...process.env, VEDETTE_SECRET: SECRET, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  const lines: string[] = [];
  for (const stream of [child.stdout!, child.stderr!])
    createInterface({ input: stream }).on("line", (line) => lines.push(line));
  return { child, lines, ended: once(child, "close").then(([code]) => code as number | null) };
}

const flags = (...more: string[]) => [
  "--records",
  bench.folder,
  "--edge-url",
  bench.edge.url,
  "--cluster",
  "here",
  "--dns-port",
  "0",
  "--webhook-port",
  "0",
  ...more,
];

/** Starts the agent as a process and waits until it takes deliveries. */
async function start(environment: NodeJS.ProcessEnv = {}) {
  const running = run(flags(), environment);
  const ports = await vi.waitFor(() => {
    const found = /answers DNS at 127\.0\.0\.1:(\d+) .*:(\d+)\/v1\/delivery/.exec(running.lines.join());
    if (found === null) throw new Error(`not listening yet: ${running.lines.join("\n")}`);
    return { dns: Number(found[1]), web: Number(found[2]) };
  }, 20_000);
  await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${ports.web}/readyz`)).ok).toBe(true), 20_000);
  return { ...running, ...ports };
}

const decision = (n: number) => delivery({ epoch: 1, n }, [delivered("x.test", targetsOf(n))]);
const targetsOf = (n: number) => leaves.filter((_, index) => (((n % 7) + 1) >> index) % 2 === 1);

async function readState() {
  return stateSchema.parse(JSON.parse(await readFile(join(bench.folder, "vedette.state.json"), "utf8")));
}

describe("the agent as a process", () => {
  it("killed at any moment, serves what it acknowledged when it is back, and never nothing", async () => {
    let n = 0;
    let acknowledged = 0;
    for (let round = 0; round < 8; round += 1) {
      const agent = await start();
      if (acknowledged > 0) {
        const { number, serial } = await readState();
        expect(number.n).toBeGreaterThanOrEqual(acknowledged);
        expect(number.n).toBeLessThanOrEqual(n);
        expect(serial).toBeGreaterThanOrEqual(acknowledged);
        expect(await addresses(agent.dns, "x.test")).toEqual(targetsOf(number.n));
      }
      let kill: NodeJS.Timeout | undefined;
      try {
        for (;;) {
          n += 1;
          const response = await bench.edge.deliver(agent.web, decision(n));
          if (response.status === 200) acknowledged = n;
          // From the first answer on: a busy machine would otherwise kill it before it has taken anything.
          kill ??= setTimeout(() => agent.child.kill("SIGKILL"), Math.random() * 120);
        }
      } catch {
        // The process is dead: the connection ended under the delivery.
      }
      clearTimeout(kill);
      await agent.ended;
    }
    expect(acknowledged).toBeGreaterThanOrEqual(8);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("ends with %s at once, and leaves DNS state as it is", async (signal) => {
    const agent = await start();
    await bench.edge.deliver(agent.web, decision(3));
    const before = await readState();
    agent.child.kill(signal);
    expect(await agent.ended).toBe(0);
    const { hosts, number } = await readState();
    expect({ hosts, number }).toEqual({ hosts: before.hosts, number: before.number });
    expect(agent.lines.join()).not.toContain("-192.0.2");
  });

  it.each(["America/Los_Angeles", "Asia/Tokyo"])("writes the same times in %s", async (TZ) => {
    const agent = await start({ TZ });
    await bench.edge.deliver(agent.web, decision(1));
    const { records } = await readState();
    const [condition] = records["shop/x"]?.status.conditions ?? [];
    expect(condition?.lastTransitionTime).toMatch(/Z$/);
    expect(Math.abs(Date.parse(condition?.lastTransitionTime ?? "") - Date.now())).toBeLessThan(60_000);
    expect(records["shop/x"]?.status.probes[0]?.since).toBe("1970-01-01T00:00:00.001Z");
    expect(agent.lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z /);
  });

  it("shows its secret neither in its arguments nor in its output", async () => {
    const agent = await start();
    expect(await readFile(`/proc/${agent.child.pid}/cmdline`, "utf8")).not.toContain(SECRET);
    expect(agent.lines.join()).not.toContain(SECRET);
  });

  it("says in one line that a port is in use, and ends", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const { lines, ended } = run([...flags().slice(0, 6), "--dns-port", `${port}`, "--webhook-port", "0"]);
    expect(await ended).toBe(1);
    expect(lines).toEqual([
      `Cannot listen for DNS on 127.0.0.1: port ${port} is in use. Stop what runs there, or choose another with --dns-port.`,
    ]);
    other.close();
  });

  it("says which settings are wrong, and prints its help", async () => {
    const wrong = run(["--records", "x"]);
    expect(await wrong.ended).toBe(1);
    expect(wrong.lines.join("\n")).toMatch(/--edge-url or VEDETTE_EDGE_URL: is required(.|\n)*--help/);
    const help = run(["--help"]);
    expect(await help.ended).toBe(0);
    expect(help.lines.join("\n")).toContain("VEDETTE_EDGE_STALE_AFTER");
  });

  it("logs in JSON where it is asked to", async () => {
    const { lines, child } = run(flags("--log-format", "json"));
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(1), 20_000);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "info",
      message: expect.stringContaining("answers DNS"),
    });
    child.kill("SIGTERM");
  });
});
