import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { helpText, readSettings, variableOf } from "./settings.ts";
import { settingsSchema } from "./settings-schema.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const flags = ["--records", "records", "--edge-url", "https://edge.test", "--cluster", "shop"];
const environment = { VEDETTE_SECRET: SECRET };

describe("settings", () => {
  it("have defaults for all but four", () => {
    expect(readSettings(flags, environment)).toMatchObject({
      records: ["records"],
      pull: false,
      pullIntervalMs: 5_000,
      webhookAddress: "127.0.0.1",
      webhookPort: 8788,
      dnsAddress: "127.0.0.1",
      dnsPort: 8753,
      negativeTtlMs: 60_000,
      edgeStaleAfterMs: 300_000,
      reconfigMaxDelayMs: 1_000,
      logFormat: "text",
    });
  });

  it("take the records from files or from Kubernetes, not from both and not from nowhere", () => {
    const [, , ...edge] = flags;
    expect(readSettings([...edge, "--kubernetes"], environment)).toMatchObject({
      kubernetes: true,
      leaderLeaseMs: 10_000,
      statusRefreshMs: 300_000,
      deletionTimeoutMs: 300_000,
      operationsPort: 8790,
    });
    expect(() => readSettings(edge, environment)).toThrow(
      "--records or VEDETTE_RECORDS: is required, unless kubernetes is set",
    );
    expect(() => readSettings([...flags, "--kubernetes"], environment)).toThrow("must not be set with kubernetes");
    expect(() => readSettings([...flags, "--publisher", "external-dns"], environment)).toThrow(
      '--publisher or VEDETTE_PUBLISHER: "external-dns" needs kubernetes',
    );
  });

  it("come from flags before variables, under the same names", () => {
    const variables = {
      ...environment,
      VEDETTE_RECORDS: "a.yaml, b.yaml",
      VEDETTE_EDGE_URL: "http://127.0.0.1:8787",
      VEDETTE_CLUSTER: "other",
      VEDETTE_EDGE_STALE_AFTER: "30s",
      VEDETTE_RECONFIG_MAX_DELAY: "250ms",
      VEDETTE_PULL: "true",
    };
    expect(readSettings(["--cluster", "shop"], variables)).toMatchObject({
      records: ["a.yaml", "b.yaml"],
      cluster: "shop",
      edgeStaleAfterMs: 30_000,
      reconfigMaxDelayMs: 250,
      pull: true,
    });
    expect(readSettings(["--records", "c", "--records", "d"], variables)).toMatchObject({ records: ["c", "d"] });
  });

  it("take two secrets while rotating, also from a file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "vedette-settings-"));
    const file = join(folder, "secret");
    await writeFile(file, `${SECRET}\n${SECRET}\n`);
    expect(readSettings([...flags, "--secret-file", file], {})).toMatchObject({ secret: [SECRET, SECRET] });
    await rm(folder, { recursive: true });
  });

  it("take name servers with and without addresses", () => {
    expect(
      readSettings([...flags, "--name-servers", "NS1.example.com=192.0.2.1, ns2.example.net"], environment),
    ).toMatchObject({
      nameServers: [{ name: "ns1.example.com", address: "192.0.2.1" }, { name: "ns2.example.net" }],
    });
  });

  it.each([
    [
      ["--edge-url", "http://edge.test"],
      '--edge-url or VEDETTE_EDGE_URL: "http://edge.test" must be an https:// URL (http:// only to this machine)',
    ],
    [["--edge-url", "edge"], '--edge-url or VEDETTE_EDGE_URL: "edge" must be an https:// URL'],
    [
      ["--edge-url", "https://me:hidden@edge.test"],
      "--edge-url or VEDETTE_EDGE_URL: must not hold a user or a password",
    ],
    [["--dns-port", "70000"], '--dns-port or VEDETTE_DNS_PORT: "70000" must be at most 65535'],
    [["--dns-port", "x"], "--dns-port or VEDETTE_DNS_PORT: "],
    [
      ["--dns-address", "localhost"],
      '--dns-address or VEDETTE_DNS_ADDRESS: "localhost" must be an IP address of this machine',
    ],
    [
      ["--edge-stale-after", "5"],
      '--edge-stale-after or VEDETTE_EDGE_STALE_AFTER: "5" must be a duration such as "30s" or "1m30s"',
    ],
    [["--edge-stale-after", "0s"], "must be from 1s to 24h"],
    [["--log-format", "xml"], '--log-format or VEDETTE_LOG_FORMAT: "xml" must be one of text, json'],
    [["--cluster", "Shop_1"], '--cluster or VEDETTE_CLUSTER: "Shop_1" must be a Kubernetes object name'],
    [["--name-servers", "ns1.example.com=nowhere"], "must hold name or name=address"],
    [["--secret", "x"], "--secret is no flag"],
    [["--secret-file", "/nowhere/at/all"], "--secret-file /nowhere/at/all cannot be read (ENOENT)"],
    [["--dns-prot", "53"], "--dns-prot"],
  ])("refuse %j by name, value and rule", (more, message) => {
    expect(() => readSettings([...flags, ...more], environment)).toThrow(message);
  });

  it("name all that is wrong at once, and what to do next", () => {
    expect(() => readSettings([], {})).toThrow(
      /--records .*\n.*--edge-url .*\n.*--cluster .*\n.*VEDETTE_SECRET .*\n.*--help/,
    );
  });

  it("never show a secret", () => {
    for (const value of ["S3CR3T", `S3CR3T!${SECRET}`, `${SECRET} ${SECRET} S3CR3T`]) {
      expect(() => readSettings(flags, { VEDETTE_SECRET: value })).toThrow(expect.not.stringContaining("S3CR3T"));
    }
  });

  it("are all in the help, with their variables and examples", () => {
    const help = helpText();
    for (const name of Object.keys(settingsSchema.shape)) expect(help).toContain(variableOf(name));
    expect(help).toContain("Default: 5m.");
    expect(help).toContain("Examples:");
    expect(help).not.toContain("undefined");
    expect(readSettings(["-h"], {})).toBe("help");
  });
});
