import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { loadSecrets } from "../../local/state-folder.ts";
import { clockIn } from "../../shared/explain/clock.ts";
import { explainLeaf } from "../../shared/explain/leaf.ts";
import { overview } from "../../shared/model/overview.ts";
import { freePort } from "../support/free-port.ts";
import { runProgram, runShell, startOnTerminal, startProgram } from "./support/program.ts";
import { recordYaml } from "./support/records.ts";
import { startWorld, type World } from "./support/stack.ts";
import { until } from "./support/until.ts";

const HOST = "shop.example.test";
const ADDRESSES = ["127.0.0.11", "127.0.0.12", "127.0.0.13"];
const BAD = "127.0.0.13";

let world: World;
let env: Record<string, string>;
let admin: Record<string, string>;

beforeAll(async () => {
  world = await startWorld({
    addresses: ADDRESSES,
    records: (port) => ({ "shop.yaml": recordYaml(HOST, port, { targets: ADDRESSES }) }),
  });
  env = { VEDETTE_EDGE: world.stack.edgeUrl };
  admin = { ...env, VEDETTE_TOKEN: loadSecrets(world.stack.folders.state).adminToken };
  await published(ADDRESSES);
  for (const address of ADDRESSES) await saidByAll(address, "Healthy");
  // The edge may have had to say before the agent ran.
  await until("the cluster to be reached", async () => {
    const { decided, acknowledged, failures } = (await world.readCluster()) ?? {};
    return failures === 0 && decided === acknowledged;
  });
});
afterAll(() => world?.stop());

async function published(addresses: readonly string[]): Promise<void> {
  await until(`${addresses} to be published`, async () => {
    const record = await world.stack.readRecord(HOST);
    return record?.leaves.flatMap((one) => (one.published ? [one.leaf] : [])).join() === addresses.join();
  });
}

/** Two regions decide: the third may say the same a little later. */
async function saidByAll(address: string, says: string): Promise<void> {
  await until(`all regions to call ${address} ${says}`, async () => {
    const record = await world.stack.readRecord(HOST);
    const regions = record?.probes.find(({ leaf }) => leaf === address)?.regions ?? [];
    return regions.length === 3 && regions.every(({ counts }) => counts.says === says);
  });
}

const vedette = (...args: string[]) => runProgram(args, env);
const asAdmin = (...args: string[]) => runProgram(args, admin);

async function jsonOf(...args: string[]) {
  const { stdout, code, stderr } = await vedette(...args, "-o", "json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

describe("while all is well", () => {
  test("status says so, in words, and as JSON and YAML that are the edge's answer", async () => {
    const { code, stdout } = await vedette("status", "--exit-code");
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/shop\.example\.test +Healthy +3\/3 +3 of 3 ok/),
    });
    expect(stdout).not.toContain("\x1b");
    expect(overview.parse(await jsonOf("status")).records).toMatchObject([{ rootHost: HOST, state: "Healthy" }]);
    const yaml = await vedette("status", "-o", "yaml");
    expect(overview.parse(parse(yaml.stdout)).records).toHaveLength(1);
  });

  test("records and probes list what there is", async () => {
    expect((await vedette("records")).stdout).toMatch(
      /shop\.example\.test +127\.0\.0\.11, 127\.0\.0\.12, 127\.0\.0\.13 +-/,
    );
    const { probes } = await jsonOf("probes", "--host", HOST);
    expect(probes.map(({ leaf, verdict }: { leaf: string; verdict: string }) => `${leaf} ${verdict}`)).toEqual(
      ADDRESSES.map((address) => `${address} Healthy`),
    );
    expect((await vedette("probes", "--verdict", "Unhealthy")).stdout).toBe("There are no such probes.\n");
  });
});

describe("when a gateway breaks", () => {
  test("who follows the events hears of it, and status, explain, records, probes and check tell it", async () => {
    const following = startProgram(["events", "--follow", "--type", "DecisionChanged", "-o", "json"], env);
    await following.shows(`"rootHost":"${HOST}"`);
    const before = following.stdout.length;
    await world.gateways[2]!.change("refuse");
    await published(ADDRESSES.slice(0, 2));
    await saidByAll(BAD, "Unhealthy");
    await until("the event", () => following.stdout.length > before);
    following.process.kill("SIGINT");
    const { code, stdout, stderr } = await following.ended();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.at(-1)).toMatchObject({ type: "DecisionChanged", rootHost: HOST });

    const status = await vedette("status", "--exit-code");
    expect(status.code).toBe(1);
    expect(status.stdout).toMatch(/shop\.example\.test +Degraded +2\/3 +0 of 3 ok; apac, enam, weur Unhealthy/);
    expect(status.stdout).toContain(`${BAD} withheld: Unhealthy since`);
    expect(status.stdout).toContain("3 of 3 regions (apac, enam, weur): connect failed");
    expect((await vedette("records")).stdout).toMatch(/127\.0\.0\.11, 127\.0\.0\.12 +127\.0\.0\.13/);
    expect((await vedette("probes", "--verdict", "Unhealthy")).stdout).toContain("weur: connect failed");
  });

  test("explain says of the address what the page says, step by step", async () => {
    const { code, stdout } = await vedette("explain", HOST, "--time-zone", "Asia/Tokyo");
    expect(code).toBe(0);
    const record = await world.stack.readRecord(HOST);
    // Counts rise from round to round; what does not is said by the function that the page has it from.
    const sentence = explainLeaf(record!, BAD, clockIn(Date.now(), "Asia/Tokyo")).replace(/\d+ failures.*/, "");
    expect(sentence).toMatch(/^127\.0\.0\.13 withheld: 3 of 3 regions \(apac, enam, weur\) say connect failed since/);
    expect(stdout).toContain(sentence);
    for (const title of ["Watched", "Seen", "Verdict", "Decision", "In DNS"]) expect(stdout).toContain(`\n${title}\n`);
    const { steps } = await jsonOf("explain", HOST);
    expect(steps[0]).toMatchObject({
      title: "Watched",
      lines: expect.arrayContaining([expect.stringContaining("shop/shop")]),
    });
  });

  test("check asks one address now, with its phases, and ends by what it found", async () => {
    const url = `http://${HOST}:${world.gatewayPort}/healthz`;
    const good = await asAdmin("check", url, "--address", ADDRESSES[0]!, "--region", "weur,oc", "-o", "json");
    expect(good.code).toBe(0);
    const { results } = JSON.parse(good.stdout);
    expect(results).toMatchObject([
      { region: "weur", outcome: "ok", observation: { httpStatus: 200, phases: { connectMs: expect.any(Number) } } },
      { region: "oc", outcome: "ok" },
    ]);
    const bad = await asAdmin("check", url, "--address", BAD, "--region", "weur");
    expect(bad).toMatchObject({ code: 1, stdout: expect.stringMatching(/weur +- +failed .*connect failed/) });
    const refused = await asAdmin("check", url, "--address", "104.16.0.1", "--region", "weur");
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('address: "104.16.0.1" cannot be probed'),
    });
  });

  test("a watch on a terminal is drawn in place, shows the mending, and leaves the terminal as it was", async () => {
    const watching = startOnTerminal(["status", "--watch", "--interval", "500ms"], env);
    await watching.shows("Degraded");
    expect(watching.stdout).toContain("\x1b[31m");
    await world.gateways[2]!.change(undefined);
    await published(ADDRESSES);
    await watching.shows("1 Healthy");
    watching.process.stdin?.write("\x03");
    const { code, stdout } = await watching.ended();
    expect(code).toBe(0);
    expect(stdout.startsWith("\x1b[?1049h\x1b[?25l")).toBe(true);
    expect(stdout.trimEnd().endsWith("\x1b[?25h\x1b[?1049l")).toBe(true);
  });
});

describe("a cluster", () => {
  test("is added with the Secret for its agent, given another, and removed", async () => {
    const args = ["--host", "*.east.example.test,east.example.test"];
    const added = await asAdmin("cluster", "add", "east", ...args);
    expect(added.code).toBe(0);
    const [document, ...more] = parseAllDocuments(added.stdout);
    expect(more).toEqual([]);
    const secret = document?.toJS();
    expect(secret).toMatchObject({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "vedette-webhook", namespace: "vedette-system" },
      stringData: { secret: expect.stringMatching(/^whsec_/) },
    });
    expect(added.stderr).toContain("VEDETTE_PULL=true");
    expect(added.stderr).not.toContain(secret.stringData.secret);
    expect(await asAdmin("cluster", "add", "east", ...args)).toMatchObject({ code: 1, stdout: "" });
    expect((await asAdmin("cluster", "list")).stdout).toMatch(/east +0 +never +never/);

    const rotated = await asAdmin("cluster", "rotate", "east", "--namespace", "elsewhere", "-o", "json");
    expect(JSON.parse(rotated.stdout)).toMatchObject({ kind: "Secret", metadata: { namespace: "elsewhere" } });
    expect(rotated.stdout).not.toContain(secret.stringData.secret);

    expect((await asAdmin("cluster", "rebind", "east")).code).toBe(0);
    expect((await asAdmin("cluster", "rebind", "west")).code).toBe(5);
    const asked = await asAdmin("cluster", "remove", "east");
    expect(asked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("That would forget cluster east with 0 records"),
    });
    expect((await asAdmin("cluster", "remove", "east", "--yes")).code).toBe(0);
    expect((await asAdmin("cluster", "remove", "east", "--yes")).code).toBe(5);
  });
});

describe("a script", () => {
  test("is told apart what went wrong, and each time what to do next", async () => {
    const away = { VEDETTE_EDGE: `http://127.0.0.1:${await freePort()}` };
    const cases = [
      [2, await vedette("status", "--outptu", "json"), "--help"],
      [2, await vedette("explain", HOST, "--time-zone", "Mars/Base"), "Give an IANA name"],
      [3, await runProgram(["status"], away), "Give it with --edge or VEDETTE_EDGE."],
      [4, await vedette("cluster", "list"), "VEDETTE_TOKEN"],
      [4, await runProgram(["cluster", "list"], { ...env, VEDETTE_TOKEN: "canary-S3CR3T-canary" }), "VEDETTE_TOKEN"],
      [5, await vedette("explain", "nowhere.example.test"), "vedette records"],
      [5, await vedette("records", "nowhere.example.test"), "vedette records"],
    ] as const;
    for (const [code, ended, next] of cases) {
      expect(ended).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(next) });
      expect(ended.stderr).not.toContain("S3CR3T");
    }
  });

  test("never has its token sent on, nor in clear to another machine", async () => {
    const seen: (string | undefined)[] = [];
    const port = await freePort();
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(302, { location: `http://127.0.0.1:${port}/elsewhere` }).end();
    }).listen(port, "127.0.0.1");
    const led = await runProgram(["cluster", "list"], { ...admin, VEDETTE_EDGE: `http://127.0.0.1:${port}` });
    server.close();
    expect(led).toMatchObject({ code: 3, stderr: expect.stringContaining("leads on to") });
    expect(seen).toHaveLength(1);
    const clear = await runProgram(["status", "--edge", "http://edge.example.test"], admin);
    expect(clear).toMatchObject({ code: 2, stderr: expect.stringContaining("in clear") });
  });

  test("may take the token from a file or standard input, and stop reading early", async () => {
    const fromInput = await runShell('printf %s "$TOKEN" | vedette cluster list --token-file -', {
      ...env,
      TOKEN: admin.VEDETTE_TOKEN!,
    });
    expect(fromInput).toMatchObject({ code: 0, stdout: expect.stringContaining("local") });
    expect(await runShell("vedette records -o json | head -c 1", env)).toEqual({ code: 0, stdout: "{", stderr: "" });
    const full = await runShell("vedette records > /dev/full", env);
    expect(full).toMatchObject({ code: 2, stderr: expect.stringMatching(/^vedette: The output cannot be written/) });
    // Who is gone is noticed with the next event.
    let isOver = false;
    const following = runShell("vedette events --follow | head -n 1", env).finally(() => {
      isOver = true;
    });
    for (let turn = 0; !isOver; turn += 1) {
      const change = turn % 2 === 0 ? ["add", "west", "--host", "west.example.test"] : ["remove", "west", "--yes"];
      await asAdmin("cluster", ...change);
    }
    expect(await following).toMatchObject({ code: 0, stderr: "" });
  });
});
