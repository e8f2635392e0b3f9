import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadSecrets } from "../../local/state-folder.ts";
import type { DnsRecorder } from "./support/dns.ts";
import { runShell } from "./support/program.ts";
import { PATIENCE_MS, recordYaml } from "./support/records.ts";
import { startWorld, type World } from "./support/stack.ts";
import { until } from "./support/until.ts";

const HOST = "api.example.test";
const ADDRESSES = ["127.0.0.17", "127.0.0.18", "127.0.0.19"];
const ALL = ADDRESSES.join(" ");
const WITHOUT_FIRST = ADDRESSES.slice(1).join(" ");

let world: World;
let dns: DnsRecorder;

beforeAll(async () => {
  world = await startWorld({
    addresses: ADDRESSES,
    records: (port) => ({ "api.yaml": recordYaml(HOST, port, { targets: ADDRESSES }) }),
  });
  dns = world.record(HOST);
});
afterAll(() => world?.stop());

const answered = (text: string) =>
  until(
    `the answer ${text}`,
    () => dns.last === text,
    PATIENCE_MS,
    () => dns.seen,
  );

const verdictOfFirst = async () => {
  const record = await world.stack.readRecord(HOST);
  return record?.probes.find(({ leaf }) => leaf === ADDRESSES[0])?.verdict;
};

function vedette(line: string) {
  const { adminToken } = loadSecrets(world.stack.folders.state);
  return runShell(line, { VEDETTE_EDGE: world.stack.edgeUrl, VEDETTE_TOKEN: adminToken });
}

test("an edge that was made anew takes an export, and publishes nothing that was withdrawn", async ({
  onTestFailed,
}) => {
  onTestFailed(() => world.explain(HOST));
  await answered(ALL);
  await world.gateways[0]?.change("status");
  await answered(WITHOUT_FIRST);
  const file = join(world.state, "export.ndjson");
  expect(await vedette(`vedette export > ${file}`)).toMatchObject({ code: 0, stderr: "" });

  const mark = dns.mark;
  await world.stack.stopEdge();
  rmSync(join(world.stack.folders.state, "edge"), { recursive: true });
  await world.stack.startEdge();
  const imported = await vedette(`vedette import < ${file}`);
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringMatching(/CLUSTER +SECRET\nlocal +as before\n/) });
  // As one that is given the URL of another edge: it says at once what is watched, and what it has in DNS.
  await world.stack.agent.stop();
  await world.stack.agent.start();
  await until("the new edge to find out for itself", async () => (await verdictOfFirst()) === "Unhealthy", PATIENCE_MS);
  // While the agent starts, its DNS server answers nobody.
  expect(new Set(dns.since(mark))).toEqual(new Set([WITHOUT_FIRST, "no answer"]));
  const again = await vedette(`diff <(grep Record ${file}) <(vedette export | grep Record)`);
  expect(again).toMatchObject({ code: 0, stdout: "" });

  await world.gateways[0]?.change(undefined);
  await answered(ALL);
  const second = await vedette(`{ cat ${file}; echo '{'; } | vedette import`);
  expect(second).toMatchObject({ code: 1, stdout: "No cluster was registered.\n" });
  expect(second.stderr).toMatch(
    /line 2: cluster: local is already registered here, and was left as it is\nline 5: \(whole\): must be JSON\n/,
  );
});
