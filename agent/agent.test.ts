import { once } from "node:events";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Bench, manifest, settingsFor } from "../test/support/agent/agent.ts";
import { contact, delivered, delivery } from "../test/support/agent/delivered.ts";
import { addresses } from "../test/support/agent/dns-client.ts";
import { SECRET } from "../test/support/agent/fake-edge.ts";
import { startAgent } from "./agent.ts";

const [one, two, three] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"] as const;
const until = { timeout: 10_000, interval: 20 };

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
  await bench.put("x.yaml", manifest("x", [one, two, three]));
});
afterEach(() => bench.close());

const decision = (n: number, targets: string[], sentAt?: number) =>
  delivery({ epoch: 1, n }, [delivered("x.test", targets)], sentAt);

vi.setConfig({ testTimeout: 20_000 });

describe("the agent", () => {
  it("pushes its records, takes a delivery, and answers DNS by it", async () => {
    const agent = await bench.agent();
    await agent.ready;
    await bench.edge.until(() => bench.edge.snapshots.length === 1);
    const [snapshot] = bench.edge.snapshots;
    expect(snapshot?.header).toMatchObject({ clusterUid: agent.state().clusterUid, records: 1 });
    expect(snapshot?.lines).toMatchObject([{ ok: true, key: "shop/x", record: { published: [] } }]);
    expect(await addresses(agent.dnsPort, "x.test")).toBe("SERVFAIL");

    const response = await bench.edge.deliver(agent.webhookPort, decision(1, [one, two]));
    expect(await response.json()).toEqual({ version: 1, acknowledged: { epoch: 1, n: 1 }, takes: ["Changes"] });
    expect(await addresses(agent.dnsPort, "x.test")).toEqual([one, two]);
    expect(bench.published).toMatchObject([{ rootHost: "x.test", added: [one, two], removed: [] }]);
    await bench.edge.until(() => bench.edge.snapshots.length === 2);
    expect(bench.edge.snapshots[1]?.lines).toMatchObject([{ record: { published: [{ targets: [one, two] }] } }]);
  });

  it("takes the delivery in the answer to a snapshot like any other", async () => {
    bench.edge.behaviour.delivery = decision(7, [two]);
    const agent = await bench.agent();
    await vi.waitFor(async () => expect(await addresses(agent.dnsPort, "x.test")).toEqual([two]), until);
    expect(agent.state().number).toEqual({ epoch: 1, n: 7 });
  });

  it("asks for deliveries with pull, and takes none by webhook", async () => {
    bench.edge.behaviour.delivery = decision(3, [one]);
    const agent = await bench.agent("--pull", "--pull-interval", "1s");
    await bench.edge.until(() => bench.edge.requests.some((request) => request.startsWith("GET")));
    await vi.waitFor(async () => expect(await addresses(agent.dnsPort, "x.test")).toEqual([one]), until);
    await bench.edge.until(() => bench.edge.requests.includes("GET /v1/clusters/here/delivery?after=1.3 200"));
    expect((await bench.edge.deliver(agent.webhookPort, decision(4, [two]))).status).toBe(404);
  });

  it("follows its files, and pushes what they say", async () => {
    const agent = await bench.agent();
    await agent.ready;
    await bench.edge.deliver(agent.webhookPort, decision(1, [one, two, three]));
    await bench.put("x.yaml", manifest("x", [two, three]));
    await bench.put("y.yaml", manifest("y", [one]));
    await vi.waitFor(async () => expect(await addresses(agent.dnsPort, "x.test")).toEqual([two, three]), until);
    await bench.edge.until(() => bench.edge.snapshots.at(-1)?.lines.length === 2);
    await rm(join(bench.folder, "x.yaml"));
    await vi.waitFor(async () => expect(await addresses(agent.dnsPort, "x.test")).toBe("REFUSED"), until);
    await bench.edge.until(() => bench.edge.snapshots.at(-1)?.lines.length === 1);
  });

  it("pushes header secrets, and shows them nowhere else", async () => {
    const canary = "S3CR3T-canary";
    const headers =
      "  healthCheck: { protocol: HTTP, additionalHeadersRef: { name: probe }, allowHeadersInCleartext: true }\n";
    await bench.put("x.yaml", manifest("x", [one, two], headers));
    await bench.put(
      "s.yaml",
      `apiVersion: v1\nkind: Secret\nmetadata: { name: probe, namespace: shop }\nstringData: { X-Key: ${canary} }\n`,
    );
    const agent = await bench.agent("--edge-stale-after", "1s");
    await bench.edge.until(() => bench.edge.snapshots.length > 0);
    expect(bench.edge.snapshots[0]?.lines).toMatchObject([{ record: { headers: { "X-Key": canary } } }]);
    bench.edge.behaviour.refuseWith = 500;
    await vi.waitFor(async () => expect(await addresses(agent.dnsPort, "x.test")).toEqual([one, two]), until);
    await bench.put("s.yaml", `apiVersion: v1\nkind: Secret\nmetadata: { name: probe }\nstringData: [${canary}]\n`);
    await vi.waitFor(() => expect(bench.log.join()).toContain("stringData"), until);
    const shown = [
      await readFile(join(bench.folder, "vedette.state.json"), "utf8"),
      bench.log.join(),
      JSON.stringify(bench.published),
    ];
    for (const text of shown) {
      for (const secret of [canary, Buffer.from(canary).toString("base64").slice(0, -2), SECRET])
        expect(text).not.toContain(secret);
    }
  });
});

describe("before all records have been read", () => {
  it("no delivery is taken and nothing is pushed; what was served still is", async () => {
    const first = await bench.agent();
    await first.ready;
    await bench.edge.deliver(first.webhookPort, decision(1, [one]));
    await bench.stop(first);
    const pushed = bench.edge.snapshots.length;
    await symlink("loop.yaml", join(bench.folder, "loop.yaml"));

    const agent = await bench.agent("--edge-stale-after", "1s");
    await vi.waitFor(() => expect(bench.log.join()).toContain("cannot be read (ELOOP)"), until);
    const response = await bench.edge.deliver(agent.webhookPort, decision(2, [two]));
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect((await fetch(`http://127.0.0.1:${agent.webhookPort}/readyz`)).status).toBe(503);
    expect((await fetch(`http://127.0.0.1:${agent.webhookPort}/healthz`)).status).toBe(200);
    expect(await addresses(agent.dnsPort, "x.test")).toEqual([one]);
    expect(bench.edge.snapshots).toHaveLength(pushed);

    await rm(join(bench.folder, "loop.yaml"));
    await agent.ready;
    expect((await bench.edge.deliver(agent.webhookPort, decision(2, [two]))).status).toBe(200);
    expect(await addresses(agent.dnsPort, "x.test")).toEqual([two]);
  });

  it("a folder that is not there is no empty list", async () => {
    const agent = await startAgent(
      settingsFor(join(bench.folder, "later"), bench.edge.url, ["--state", join(bench.folder, "s.state.json")]),
      { log: () => {} },
    );
    expect((await bench.edge.deliver(agent.webhookPort, decision(1, [one]))).status).toBe(503);
    await mkdir(join(bench.folder, "later"));
    await writeFile(join(bench.folder, "later", "x.yaml"), manifest("x", [one]));
    await agent.ready;
    await bench.edge.until(() => bench.edge.snapshots.length === 1);
    expect(bench.edge.snapshots[0]?.lines).toHaveLength(1);
    await agent.close();
  });
});

describe("an edge", () => {
  it("that is silent leaves all published; once it is heard, its decision is back", async () => {
    bench.edge.behaviour.hang = true;
    const agent = await bench.agent("--edge-stale-after", "1s");
    await agent.ready;
    await bench.edge.deliver(agent.webhookPort, decision(1, [one]));
    expect(await addresses(agent.dnsPort, "x.test")).toEqual([one]);
    await vi.waitFor(async () => expect(await addresses(agent.dnsPort, "x.test")).toEqual([one, two, three]), until);
    expect((await bench.edge.deliver(agent.webhookPort, contact({ epoch: 1, n: 1 }, Date.now()))).status).toBe(200);
    expect(await addresses(agent.dnsPort, "x.test")).toEqual([one]);
  });

  it("that refuses a record is quoted in its status, and the record not served", async () => {
    await bench.put("y.yaml", manifest("y", [one]));
    bench.edge.behaviour.refused = ["shop/y"];
    const agent = await bench.agent();
    await vi.waitFor(
      () => expect(bench.log.join()).toContain("The edge refuses shop/y: The host is not allowed."),
      until,
    );
    const refusal = expect.objectContaining({ type: "Accepted", status: "False", reason: "HostNotAllowed" });
    await vi.waitFor(() => expect(agent.state().records["shop/y"]?.status.conditions).toContainEqual(refusal), until);
    await vi.waitFor(async () => {
      expect(await readFile(join(bench.folder, "vedette.state.json"), "utf8")).toContain("HostNotAllowed");
    }, until);
    await vi.waitFor(async () => expect(await addresses(agent.dnsPort, "y.test")).toBe("REFUSED"), until);
    expect(await addresses(agent.dnsPort, "x.test")).toBe("SERVFAIL");
  });

  it("that holds a snapshot of a former process is told the tag, at once", async () => {
    bench.edge.etag = '"old"';
    await bench.agent();
    await bench.edge.until(() => bench.edge.snapshots.length === 1);
    expect(bench.edge.requests).toEqual(["PUT /v1/clusters/here/snapshot 428", "PUT /v1/clusters/here/snapshot 200"]);
  });

  it("that someone else pushed to is told so, and tried again after reading everything again", async () => {
    const agent = await bench.agent();
    await bench.edge.until(() => bench.edge.snapshots.length === 1);
    bench.edge.etag = '"someone else"';
    await bench.edge.deliver(agent.webhookPort, decision(1, [one]));
    await bench.edge.until(() => bench.edge.snapshots.length === 2);
    expect(bench.edge.requests.filter((request) => request.endsWith("412"))).toHaveLength(1);
    expect(bench.log.join()).toContain("412 SnapshotOvertaken");
    await vi.waitFor(() => expect(bench.log.join()).toContain("The edge took the snapshot"), until);
  });
});

describe("what the agent cannot use is said plainly", () => {
  it("a port in use, by its flag; and nothing is left open", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    await expect(bench.agent("--dns-port", `${port}`)).rejects.toThrow(
      `Cannot listen for DNS on 127.0.0.1: port ${port} is in use. Stop what runs there, or choose another with --dns-port.`,
    );
    await expect(bench.agent("--webhook-port", `${port}`)).rejects.toThrow(
      `port ${port} is in use. Stop what runs there, or choose another with --webhook-port.`,
    );
    other.close();
  });

  it("a state file that cannot be written", async () => {
    await expect(bench.agent("--state", join(bench.folder, "nowhere", "state.json"))).rejects.toThrow(
      /The state file .* cannot be used: ENOENT.* Choose a writable place with --state\./,
    );
  });

  it("a state file that is broken: it is set aside, and the cluster keeps its identity", async () => {
    const first = await bench.agent();
    await first.ready;
    await bench.edge.deliver(first.webhookPort, decision(1, [one]));
    const { clusterUid } = first.state();
    await bench.stop(first);
    const path = join(bench.folder, "vedette.state.json");
    await writeFile(path, (await readFile(path, "utf8")).slice(0, 300));
    bench.edge.behaviour.hang = true;
    const agent = await bench.agent();
    expect(bench.log.join()).toMatch(
      /vedette\.state\.json is broken \(it is no JSON\)\. It was set aside as .*\.broken-/,
    );
    expect(agent.state().clusterUid).toBe(clusterUid);
    await agent.ready;
    expect(await addresses(agent.dnsPort, "x.test")).toBe("SERVFAIL");
  });
});
