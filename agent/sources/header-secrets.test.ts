import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { apiError } from "../../test/support/fake-api.ts";
import { FakeWatch } from "../../test/support/fake-watch.ts";
import { SECRET } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { HeaderSecrets } from "./header-secrets.ts";

const CANARY = "S3CR3T-canary";
const secret = (name: string, value = CANARY): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "shop", uid: name },
  data: { "X-Key": btoa(value) },
});

let api: FakeWatch;
let secrets: HeaderSecrets;
let logged: string[];
let changes: number;
let elapsedMs: number;

beforeEach(() => {
  api = new FakeWatch();
  logged = [];
  changes = 0;
  elapsedMs = 0;
  secrets = new HeaderSecrets({
    client: api,
    resyncMs: 600_000,
    onChange: () => {
      changes += 1;
    },
    namespace: "vedette-system",
    log: (_level, message) => void logged.push(message),
    elapsedMs: () => elapsedMs,
  });
});
afterEach(async () => {
  await secrets.stop();
  expect(logged.join()).not.toContain(CANARY);
});

const wanted = async (...names: string[]) => {
  secrets.want(new Set(names.map((name) => `shop/${name}`)));
  await vi.waitFor(() => expect(secrets.isSynced).toBe(true));
};

describe("header Secrets", () => {
  it("are read one by one by their names, and no others", async () => {
    api.set(SECRET, secret("one"));
    api.set(SECRET, secret("other"));
    await wanted("one");
    expect(api.lists).toEqual(["secrets metadata.name=one"]);
    expect(secrets.secretAt("shop/one")?.data).toEqual({ "X-Key": btoa(CANARY) });
    expect(secrets.secretAt("shop/other")).toBeUndefined();
  });

  it("that are not there are known not to be there, and heard of when they are made", async () => {
    await wanted("one");
    expect([secrets.secretAt("shop/one"), secrets.troubleOf("shop/one")]).toEqual([undefined, undefined]);
    const before = changes;
    api.set(SECRET, secret("one"));
    await vi.waitFor(() => expect(secrets.secretAt("shop/one")).toBeDefined());
    expect(changes).toBeGreaterThan(before);
  });

  it("that stay wanted keep their watch when the list of names changes, and the others lose theirs", async () => {
    await wanted("one", "two");
    await vi.waitFor(() => expect(api.watches).toBe(2));
    await wanted("two", "three");
    await vi.waitFor(() => expect(api.watches).toBe(2));
    expect(api.lists.filter((one) => one.endsWith("two"))).toHaveLength(1);
    expect(secrets.secretAt("shop/one")).toBeUndefined();
  });

  it("are not known before they were asked for: none is synced until each is read or cannot be", async () => {
    secrets.want(new Set(["shop/one"]));
    expect(secrets.isSynced).toBe(false);
    await vi.waitFor(() => expect(secrets.isSynced).toBe(true));
  });

  it("that nobody answers for hold up the others for a moment only", async () => {
    const ended = (signal: AbortSignal | undefined) =>
      new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(new Error("ended"))));
    api.list = (_, selection) => ended((selection as { signal?: AbortSignal } | undefined)?.signal);
    secrets.want(new Set(["shop/one"]));
    elapsedMs = 2_999;
    expect(secrets.isSynced).toBe(false);
    elapsedMs = 3_000;
    expect([secrets.isSynced, secrets.troubleOf("shop/one")]).toEqual([true, "nobody has answered yet"]);
  });

  it("that may not be read name the command that lets the agent, for this namespace and account", async () => {
    api.failure = () => apiError(403, "Forbidden");
    await wanted("one");
    expect(secrets.troubleOf("shop/one")).toBe(
      "forbidden. Run: kubectl -n shop create rolebinding vedette-header-secrets --clusterrole=vedette-header-secrets --serviceaccount=vedette-system:vedette-agent",
    );
  });

  it("that cannot be read for another reason say which", async () => {
    api.failure = () => apiError(500, "InternalError", "etcd is away");
    secrets.want(new Set(["shop/one"]));
    await vi.waitFor(() => expect(secrets.troubleOf("shop/one")).toContain("etcd is away"), 5_000);
  });

  it("that were read stay when they cannot be read any more", async () => {
    api.set(SECRET, secret("one"));
    await wanted("one");
    api.failure = () => apiError(403, "Forbidden");
    expect(secrets.troubleOf("shop/one")).toBeUndefined();
    expect(secrets.secretAt("shop/one")).toBeDefined();
  });

  it("stand otherwise when one is read or cannot be, and not for what is in them", async () => {
    api.set(SECRET, secret("one"));
    await wanted("one");
    const { state } = secrets;
    const before = changes;
    api.set(SECRET, secret("one", `${CANARY} anew`));
    await vi.waitFor(() => expect(changes).toBeGreaterThan(before));
    expect(secrets.state).toBe(state);
    await wanted("one", "two");
    expect(secrets.state).not.toBe(state);
    expect(secrets.state).not.toContain(CANARY);
  });
});
