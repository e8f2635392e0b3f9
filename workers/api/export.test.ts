import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { exportEnd, exportedCluster, exportHead, importReceipt } from "../../shared/model/export.ts";
import { signatureHeaders } from "../../shared/signature.ts";
import { encodeSnapshot } from "../../shared/snapshot.ts";
import { recordOf } from "../../test/support/cluster.ts";
import type { Env } from "../env.ts";
import { createApp, serve } from "./app.ts";

const ADMIN_TOKEN = "test-admin-token-0123456789";
const app = createApp();

/** The objects have the settings of the environment, and not those that a request is served with. */
const bindings = env as unknown as Env;
const keyOf = (letter: string) => btoa(letter.repeat(32));

function call(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Response> {
  const request = new Request(`https://edge.test${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
    ...(body !== undefined && { body }),
  });
  return serve(app, request, { ...bindings, ADMIN_TOKEN }, createExecutionContext());
}

async function secretFrom(answer: Promise<Response>): Promise<string> {
  return ((await (await answer).json()) as { secret: string }).secret;
}

const register = (cluster: string) =>
  secretFrom(call("POST", "/v1/clusters", JSON.stringify({ cluster, hosts: [`*.${cluster}.test`] })));

async function exported(): Promise<string[]> {
  const text = await (await call("GET", "/v1/export")).text();
  return text.trimEnd().split("\n");
}

async function imported(lines: readonly (string | object)[]) {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  const answer = await call("POST", "/v1/import", text);
  expect(answer.status).toBe(200);
  return importReceipt.parse(await answer.json());
}

async function push(cluster: string, secret: string, clusterUid: string): Promise<number> {
  const body = encodeSnapshot({ clusterUid, instance: "one" }, [recordOf(`api.${cluster}.test`)]);
  const headers = signatureHeaders(secret, `push_${crypto.randomUUID()}`, body, Date.now());
  return (await call("PUT", `/v1/clusters/${cluster}/snapshot`, body, headers)).status;
}

const removed = async (cluster: string) => expect((await call("DELETE", `/v1/clusters/${cluster}`)).status).toBe(204);
const head = { kind: "Export", version: 1, at: 0 };
const end = (clusters: number) => ({ kind: "End", clusters, records: 0 });

describe("an export", () => {
  it("is imported with secrets and bindings, and shows no secret", async () => {
    Reflect.set(bindings, "HEADER_KEY", keyOf("k"));
    const before = await register("moved");
    expect(await push("moved", before, "uid-moved")).toBe(200);
    const secret = await secretFrom(call("POST", "/v1/clusters/moved/rotate"));
    const lines = await exported();
    expect(exportHead.parse(JSON.parse(lines[0] ?? "")).version).toBe(1);
    const { clusters, records } = exportEnd.parse(JSON.parse(lines.at(-1) ?? ""));
    expect(clusters + records).toBe(lines.length - 2);
    for (const one of [before, secret]) expect(lines.join("\n")).not.toContain(one.replace("whsec_", ""));
    const line = lines.find((one) => one.includes('"moved"')) ?? "";
    expect(exportedCluster.parse(JSON.parse(line))).toMatchObject({ hosts: ["*.moved.test"], clusterUid: "uid-moved" });

    await removed("moved");
    expect(await imported([head, line, end(1)])).toEqual({ clusters: [{ line: 2, cluster: "moved" }], errors: [] });
    expect(await push("moved", secret, "another")).toBe(409);
    expect(await push("moved", before, "uid-moved")).toBe(200);
  });

  it("gives new secrets where another key sealed them, or none, or those of another cluster", async () => {
    Reflect.set(bindings, "HEADER_KEY", keyOf("k"));
    const old = await register("sealed");
    const line = (await exported()).find((one) => one.includes('"sealed"')) ?? "";
    const { secrets, ...rest } = exportedCluster.parse(JSON.parse(line));
    await removed("sealed");
    for (const [key, given] of [
      [keyOf("l"), { ...rest, secrets }],
      [undefined, { ...rest, secrets }],
      [keyOf("k"), rest],
      [keyOf("k"), { ...rest, cluster: "thief", secrets }],
    ] as const) {
      Reflect.set(bindings, "HEADER_KEY", key);
      const { clusters } = await imported([head, given, end(1)]);
      expect(clusters).toMatchObject([{ cluster: given.cluster, secret: expect.stringMatching(/^whsec_/) }]);
      expect(clusters[0]?.secret).not.toBe(old);
      expect(await push(given.cluster, clusters[0]?.secret ?? "", "uid")).toBe(200);
      await removed(given.cluster);
    }
  });

  it("takes the good lines, and says of each other one what is wrong", async () => {
    await register("here");
    const cluster = { kind: "Cluster", cluster: "good", hosts: ["good.test"] };
    const { clusters, errors } = await imported([
      head,
      { ...cluster, cluster: "here" },
      "{",
      { ...cluster, cluster: "Bad!" },
      { kind: "Cloud" },
      { ...cluster, cluster: "hook", webhookUrl: "ftp://canary.test/canary" },
      cluster,
      { kind: "Record", rootHost: "a.test", published: [], withheld: [] },
    ]);
    expect(clusters).toMatchObject([{ line: 7, cluster: "good" }]);
    expect(errors.map(({ line, field, value, rule }) => `${line} ${field} ${value ?? ""} ${rule}`)).toEqual([
      "2 cluster here is already registered here, and was left as it is",
      "3 (whole)  must be JSON",
      expect.stringMatching(/^4 cluster "Bad!" must be an RFC 1123 label/),
      "5 kind  must be one of Cluster, Record, End",
      "6 webhookUrl  must be http(s)",
      "9 (whole)  is missing: the export was cut off before its end",
    ]);
    expect((await imported([head, end(3)])).errors).toEqual([
      { line: 2, field: "clusters + records", value: "3", rule: "must be the number of lines before it: there are 0" },
    ]);
  });

  it("of another version, or none at all, is refused whole", async () => {
    for (const [text, status] of [
      ["", 400],
      ["junk", 400],
      ["{}", 422],
      [JSON.stringify({ ...head, version: 2 }), 422],
    ] as const) {
      expect((await call("POST", "/v1/import", text)).status).toBe(status);
    }
  });
});
