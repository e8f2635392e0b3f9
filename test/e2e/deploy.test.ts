import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Ended, startCommand } from "./support/program.ts";
import { type LoneEdge, startLoneEdge } from "./support/secret-edge.ts";
import { makeStubWrangler, type StubWrangler } from "./support/stub-wrangler.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const ADMIN_TOKEN = "admin-token-of-the-test-0123456789";
const VIEW_TOKEN = "view-token-of-the-test-0123456789";
const GIVEN = { ADMIN_TOKEN, VIEW_TOKEN };
const ALL = ["ADMIN_TOKEN", "VIEW_TOKEN", "HEADER_KEY"];

let edge: LoneEdge;
let wrangler: StubWrangler;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vedette-deploy-"));
  edge = await startLoneEdge({ ...GIVEN, ALLOW_PRIVATE_ADDRESSES: "true", COLO_URL: "", CANARIES: "" });
  const accounts = [{ id: "a1", name: "Shop" }];
  wrangler = makeStubWrangler({ loggedIn: true, accounts, worker: false, secrets: [], targets: [edge.url] });
});
afterAll(async () => {
  wrangler?.remove();
  await edge?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  wrangler.calls();
});

function script(name: string, args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const PATH = `${wrangler.folder}:${process.env.PATH}`;
  return startCommand(process.execPath, [join(ROOT, "deploy", name), ...args], { PATH, ...env }).ended();
}
const deploy = (args: readonly string[] = [], env: Record<string, string> = {}) => script("edge/deploy.ts", args, env);
const checkEdge = (args: readonly string[]) => script("platform-check/check-edge.ts", args, {});

describe("npm run deploy", () => {
  test("sets what secrets are missing, out of sight, and tries what it deployed", async () => {
    const { code, stdout, stderr } = await deploy([], GIVEN);
    expect(code, stderr).toBe(0);
    const calls = wrangler.calls();
    expect(calls.map(({ args }) => args.join(" "))).toEqual([
      "whoami --json",
      "secret list --format json",
      "deploy",
      "secret bulk",
    ]);
    const set = JSON.parse(calls[3]?.input ?? "");
    expect(set).toEqual({ ...GIVEN, HEADER_KEY: expect.stringMatching(/^[\w+/]{43}=$/) });
    // Anyone who lists processes sees arguments. And wrangler gets nothing that it must not set.
    expect(calls.flatMap(({ args, env }) => [...args, ...env]).join(" ")).not.toMatch(/ADMIN_TOKEN|admin-token/);
    expect(stdout).toContain(`HEADER_KEY=${set.HEADER_KEY}`);
    expect(stdout + stderr).not.toMatch(/-token-of-the-test/);
    expect(stderr).toMatch(/ok +healthz\n.*ok +the view\n.*ok +refusal/s);
    expect(stderr).toContain(`VEDETTE_EDGE=${edge.url}`);
    expect(stderr).toContain("npx vedette cluster add");
  });

  test("asks on a terminal, without showing what is typed", async () => {
    wrangler.become({ worker: true, secrets: ["ADMIN_TOKEN"] });
    const line = `exec '${process.execPath}' '${join(ROOT, "deploy/edge/deploy.ts")}' --ask`;
    const PATH = `${wrangler.folder}:${process.env.PATH}`;
    const running = startCommand("script", ["-qefc", line, "/dev/null"], { PATH, TERM: "xterm" });
    await running.shows("VIEW_TOKEN (input is hidden; press Enter to generate one): ");
    running.process.stdin?.write(`${VIEW_TOKEN}\r`);
    await running.shows("HEADER_KEY (input is hidden");
    running.process.stdin?.write("\r");
    const { code, stdout } = await running.ended();
    expect(code, stdout).toBe(0);
    expect(stdout).not.toContain(VIEW_TOKEN);
    const set = JSON.parse(wrangler.calls().at(-1)?.input ?? "");
    expect(set).toEqual({ VIEW_TOKEN, HEADER_KEY: expect.any(String) });
  });

  test("may be run again: it keeps what is there, and shows no secret", async () => {
    wrangler.become({ worker: true, secrets: ALL });
    const { code, stdout, stderr } = await deploy([], { VEDETTE_TOKEN: VIEW_TOKEN });
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/ADMIN_TOKEN is on the account and kept/);
    expect(wrangler.calls().map(({ args }) => args[1])).not.toContain("bulk");
  });

  test("renews one, into a file of its owner's", async () => {
    wrangler.become({ worker: true, secrets: ALL });
    const file = join(folder, "secrets");
    const args = ["--renew", "VIEW_TOKEN", "--secrets-file", file];
    const { code, stdout, stderr } = await deploy(args, { VEDETTE_TOKEN: ADMIN_TOKEN });
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "" });
    const [, value] = /^VIEW_TOKEN=(.+)\n$/.exec(readFileSync(file, "utf8")) ?? [];
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(wrangler.calls().at(-1)?.input ?? "")).toEqual({ VIEW_TOKEN: value });
    expect(stderr).not.toContain(value);
    const again = await deploy(args);
    expect({ ...again, calls: wrangler.calls().map((call) => call.args[0]) }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("already exists"),
      calls: expect.not.arrayContaining(["deploy"]),
    });
  });

  test.each([
    ["nobody is logged in", { loggedIn: false }, {}, "npx wrangler login"],
    ["the account is on the free plan", { refusal: { code: 100328, message: "no" } }, {}, "Workers Free plan"],
    [
      "the login has two accounts",
      { accounts: ["a", "b"].map((id) => ({ id, name: id })) },
      {},
      "CLOUDFLARE_ACCOUNT_ID",
    ],
  ])("says what to do where %s, and sets nothing", async (_, change, env, text) => {
    const before = wrangler.account();
    wrangler.become({ worker: true, ...change });
    const { code, stdout, stderr } = await deploy([], env);
    wrangler.become({ refusal: undefined, ...before });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(new RegExp(text));
    expect(stderr).not.toMatch(/at .*\.ts:\d/);
    expect(wrangler.calls().map(({ args }) => args[1])).not.toContain("bulk");
  });

  test("rehearses without an account", async () => {
    wrangler.become({ loggedIn: false });
    const { code, stdout, stderr } = await deploy(["--dry-run"]);
    wrangler.become({ loggedIn: true });
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/HEADER_KEY would be set, generated/);
    expect(wrangler.calls().at(-1)?.args).toEqual(["deploy", "--dry-run"]);
  });

  test("sends no token over a network in clear", async () => {
    const { code, stderr } = await deploy(["--url", "http://edge.test"], { VEDETTE_TOKEN: VIEW_TOKEN });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("unencrypted") });
    expect(stderr).not.toContain(VIEW_TOKEN);
  });

  test("tells what is wrong with what answers at a URL", async () => {
    const other = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const { code, stderr } = await deploy(["--url", `http://127.0.0.1:${(other.address() as AddressInfo).port}`]);
    other.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(/FAULT +healthz: it answers 200 hello/);
    expect(stderr).toMatch(/FAULT +the view: \/ has a wrong or missing content-security-policy/);
    expect(stderr).toMatch(/FAULT +refusal of a wrong token: \/v1\/clusters answers 200/);
  });
});

describe("npm run check:edge", () => {
  const only = ["--only", "closed-port,key-exchange,rows,tls"];
  const targets = ["--closed-port", "127.0.0.1:1", "--tls", "127.0.0.1:1"];

  test("prints what was found beside what was assumed", async () => {
    const { code, stdout, stderr } = await checkEdge(["--local", ...only, ...targets]);
    expect(stdout, stderr).toMatch(/closed-port +as assumed +.*cannot connect to the specified address/);
    expect(stdout).toMatch(/rows +as assumed +1 plain, 2 with an index/);
    expect(stdout).toMatch(/tls +unknown +ConnectFailed/);
    expect(stdout).toMatch(/What to do:\n +tls: The server was not reached/);
    expect(code).toBe(0);
  });

  test("deploys its Worker with a token of its own, and deletes it at the end", async () => {
    const worker = createServer((request, response) => {
      const { authorization = "" } = request.headers;
      if (request.method !== "POST") return response.writeHead(405).end();
      const figures = { plainInsert: 1, indexedInsert: 2, indexedReplace: 2, authorization };
      return response.end(JSON.stringify({ figures }));
    }).listen(0, "127.0.0.1");
    await once(worker, "listening");
    const before = wrangler.account();
    wrangler.become({ targets: [`http://127.0.0.1:${(worker.address() as AddressInfo).port}`] });
    const { code, stdout, stderr } = await checkEdge(["--only", "rows", "--output", "json"]);
    worker.close();
    wrangler.become(before);
    expect(code, stderr).toBe(0);
    const [row] = JSON.parse(stdout);
    expect(row).toMatchObject({ measurement: "rows", verdict: "assumed" });
    const calls = wrangler.calls().map(({ args }) => args);
    expect(calls.map(([command]) => command)).toEqual(["whoami", "deploy", "delete"]);
    for (const args of calls.slice(1)) expect(args[2]).toMatch(/platform-check\/wrangler\.toml$/);
    expect(row.figures.authorization).toMatch(/^Bearer [\w-]{43}$/);
    expect(calls.flat().join(" ")).not.toContain(row.figures.authorization.slice(7));
  });

  test.each([
    ["nobody is logged in", { loggedIn: false }, [], "npx wrangler login"],
    ["a target has no port", {}, ["--open", "127.0.0.1"], "targets.open"],
  ])("says what to do where %s, and deploys nothing", async (_, change, args, text) => {
    const before = wrangler.account();
    wrangler.become(change);
    const { code, stderr } = await checkEdge(["--only", "rows", ...args]);
    wrangler.become(before);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(text) });
    expect(wrangler.calls().map(({ args: [command] }) => command)).not.toContain("deploy");
  });
});
