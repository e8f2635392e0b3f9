import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { loadKubeConfig } from "./kubeconfig.ts";

const GOOD = {
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "c", cluster: { server: "https://10.0.0.1:6443" } }],
  users: [{ name: "u", user: { token: "s3cr3t" } }],
  contexts: [
    { name: "main", context: { cluster: "c", user: "u", namespace: "vedette" } },
    { name: "lost", context: { cluster: "gone", user: "u" } },
    { name: "nobody", context: { cluster: "c", user: "gone" } },
  ],
  "current-context": "main",
};
const withCluster = (cluster: object) => stringify({ ...GOOD, clusters: [{ name: "c", cluster }] });

let folder: string;
const load = (text: string, context?: string) => {
  const kubeconfig = join(folder, "config");
  writeFileSync(kubeconfig, text);
  return loadKubeConfig({ kubeconfig, context, env: {} });
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vedette-config-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a kubeconfig gives the cluster, the user and the namespace", () => {
  const { config, namespace } = load(stringify(GOOD));
  expect(config.getCurrentCluster()?.server).toBe("https://10.0.0.1:6443");
  expect(config.getCurrentUser()?.token).toBe("s3cr3t");
  expect(namespace).toBe("vedette");
});

test("a cluster without a CA is checked with the public ones, so that its connections are kept", () => {
  const { caData } = load(stringify(GOOD)).config.getCurrentCluster() ?? {};
  expect(atob(caData ?? "")).toContain("BEGIN CERTIFICATE");
  const own = load(withCluster({ server: "https://x", "certificate-authority-data": "b3du" })).config;
  expect(own.getCurrentCluster()?.caData).toBe("b3du");
});

describe("what is wrong is named, and the file is not quoted", () => {
  test.each([
    ["an unknown context", stringify(GOOD), "other", 'there is no context "other": choose one of: main, lost, nobody'],
    [
      "a context without cluster",
      stringify(GOOD),
      "lost",
      'context "lost" names the cluster "gone", which is not in it',
    ],
    ["a context without user", stringify(GOOD), "nobody", 'context "nobody" names the user "gone", which is not in it'],
    ["no URL", withCluster({ server: "10.0.0.1" }), undefined, 'server of cluster "c" is no http(s) URL'],
    ["plain http", withCluster({ server: "http://10.0.0.1" }), undefined, 'server of cluster "c" is http: use https'],
    [
      "a CA that is missing",
      withCluster({ server: "https://10.0.0.1", "certificate-authority": "ca.crt" }),
      undefined,
      'certificate-authority of cluster "c" is missing:',
    ],
    ["no YAML", "token: s3cr3t\n  bad: [", undefined, "is no YAML: "],
    ["another document", "just text", undefined, 'there is no context "": choose one of: none'],
    ["nothing", "", undefined, "is no YAML: "],
  ])("%s", (_, text, context, message) => {
    let error: Error | undefined;
    try {
      load(text, context);
    } catch (thrown) {
      error = thrown as Error;
    }
    expect(error?.message).toContain(`kubeconfig ${join(folder, "config")}: ${message}`);
    expect(error?.message).not.toContain("s3cr3t");
  });

  test("no such file", () => {
    expect(() => loadKubeConfig({ kubeconfig: "/nowhere", env: {} })).toThrow(
      "kubeconfig /nowhere: there is no such file",
    );
  });

  test("no pod, and a pod without its token", () => {
    expect(() => loadKubeConfig({ env: {} })).toThrow("KUBERNETES_SERVICE_HOST is not set, so this is no pod");
    const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
    expect(() => loadKubeConfig({ env })).toThrow("set automountServiceAccountToken in the pod");
  });
});
