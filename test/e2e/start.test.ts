import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type Cli, processesOf, startCli } from "./support/cli.ts";
import { dig } from "./support/dns.ts";
import { startGateways, type TestGateway } from "./support/gateways.ts";
import { recordYaml } from "./support/records.ts";
import { until } from "./support/until.ts";

const PORTS = ["edge", "agent", "dns", "control", "gateway"] as const;
type Ports = Record<(typeof PORTS)[number], number>;

let folder: string;
let ports: Ports;
const started: Cli[] = [];
const gateways: TestGateway[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vedette-cli-"));
  ports = Object.fromEntries(await Promise.all(PORTS.map(async (name) => [name, await freePort()]))) as Ports;
});
afterEach(async ({ task }) => {
  if (task.result?.state === "fail") for (const { output } of started) console.log(output);
  for (const cli of started.splice(0)) cli.signal("SIGKILL");
  for (const gateway of gateways.splice(0)) await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(args: readonly string[] = [], through: "npm" | "node" = "node"): Cli {
  const flags = PORTS.flatMap((name) => [`--${name}-port`, `${ports[name]}`]);
  const cli = startCli(["--state", folder, ...flags, ...args], through);
  started.push(cli);
  return cli;
}

const groups = () => (JSON.parse(readFileSync(join(folder, "stack.json"), "utf8")) as { groups: number[] }).groups;

async function nothingLeft(ofGroups: readonly number[]): Promise<void> {
  await until(
    "no process to be left",
    () => processesOf(folder, ofGroups).length === 0,
    undefined,
    () => processesOf(folder, ofGroups),
  );
}

const server = () => ({ host: "127.0.0.1", port: ports.dns });

async function untilAnswered(name: string, targets: readonly string[]): Promise<void> {
  await until(`${name} to be ${targets}`, async () => (await dig(server(), name)).targets.join() === targets.join());
}

test("npm start: three addresses, broken and mended by curl, each change told; Ctrl-C leaves no process", async () => {
  const cli = start([], "npm");
  await cli.shows("Ctrl-C ends all of it");
  await untilAnswered("shop.example.test", ["127.0.0.11", "127.0.0.12", "127.0.0.13"]);
  for (const place of [
    `http://127.0.0.1:${ports.edge}`,
    `http://127.0.0.1:${ports.agent}`,
    `-p ${ports.dns} shop.example.test`,
  ]) {
    await cli.shows(place);
  }
  const control = `http://127.0.0.1:${ports.control}`;
  expect((await fetch(`${control}/gateways/2/break?how=hang`, { method: "POST" })).status).toBe(200);
  await cli.shows(/127\.0\.0\.12 left, \d+\.\d s after its gateway was broken \(at most 8 s\): .*response timeout/);
  expect((await fetch(`${control}/gateways/2/mend`, { method: "POST" })).status).toBe(200);
  await cli.shows(/127\.0\.0\.12 is back, \d+\.\d s after its gateway was mended/);
  const running = groups();
  expect(running).toHaveLength(2);
  cli.signal("SIGINT");
  // npm passes on the signal that it got itself, though all ended in order.
  expect([0, "SIGINT"]).toContain(await cli.ended());
  await cli.shows("All parts have ended.");
  await nothingLeft(running);
});

test("a second start in the same folder, and one on ports in use, are refused in words", async () => {
  const first = start();
  await first.shows("An address is in DNS");
  const second = start();
  expect(await second.ended()).toBe(1);
  expect(second.output).toContain(`as process ${first.process.pid}: end it with Ctrl-C there or with kill`);
  const elsewhere = start(["--state", join(folder, "other")]);
  expect(await elsewhere.ended()).toBe(1);
  expect(elsewhere.output).toContain(`TCP port ${ports.edge} on 127.0.0.1 (edge) is in use`);
  expect(elsewhere.output).toContain(`UDP port ${ports.dns} on 127.0.0.1 (DNS) is in use`);
  expect(elsewhere.output).toContain("choose another with --gateway-port <port>");
  await untilAnswered("shop.example.test", ["127.0.0.11", "127.0.0.12", "127.0.0.13"]);
  first.signal("SIGTERM");
  expect(await first.ended()).toBe(143);
});

test("killed with -9 its parts end by themselves, and the next start works", async () => {
  const first = start();
  await first.shows("Ctrl-C ends all of it");
  await until("both parts to run", () => safely(groups)?.length === 2);
  const left = groups();
  first.process.kill("SIGKILL");
  await nothingLeft(left);
  const second = start();
  await untilAnswered("shop.example.test", ["127.0.0.11", "127.0.0.12", "127.0.0.13"]);
  const running = groups();
  second.signal("SIGHUP");
  expect(await second.ended()).toBe(129);
  await nothingLeft(running);
});

test.each([0, 1, 2, 3])("Ctrl-C during start-up, at stage %i, ends all of it at once", async (stage) => {
  const cli = start();
  if (stage > 0) await cli.shows("is starting");
  if (stage > 1) await until("the edge to be started", () => (safely(groups)?.length ?? 0) >= stage - 1);
  const running = safely(groups) ?? [];
  cli.signal("SIGINT");
  await cli.ended();
  await nothingLeft(running);
});

test("npm start -- --records my.yaml: the user's own endpoints, no sample gateways", async () => {
  const targets = ["127.0.0.21", "127.0.0.22"];
  gateways.push(...(await startGateways(targets, ports.gateway)));
  const file = join(folder, "my.yaml");
  writeFileSync(file, recordYaml("mine.example.test", ports.gateway, { targets }));
  const cli = start(["--records", file]);
  await untilAnswered("mine.example.test", targets);
  await gateways[1]?.change("refuse");
  await untilAnswered("mine.example.test", targets.slice(0, 1));
  await cli.shows(/127\.0\.0\.22 left: [23] of 3 regions \(.*\) say connect failed since/);
  expect(cli.output).not.toContain("gateway 1");
  cli.signal("SIGINT");
  expect(await cli.ended()).toBe(0);
});

test("records that are not there are refused in words", async () => {
  const cli = start(["--records", join(folder, "absent.yaml")]);
  expect(await cli.ended()).toBe(1);
  expect(cli.output).toContain(`--records: there is no file or folder ${join(folder, "absent.yaml")}`);
});

function safely<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
