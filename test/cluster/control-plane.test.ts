import { existsSync } from "node:fs";
import { CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listProcesses } from "../../local/pid-file.ts";
import { until } from "../e2e/support/until.ts";
import { type ControlPlane, startControlPlane } from "./support/control-plane.ts";
import { sharedCluster } from "./support/shared.ts";

describe("the control plane that test files share", () => {
  const cluster = sharedCluster();

  test("serves our kinds, Gateway API's and external-dns'", async () => {
    const kinds = await cluster.kubectlOk(["api-resources", "--output", "name"]);
    expect(kinds.split("\n")).toEqual(
      expect.arrayContaining([
        "dnsrecords.vedette.dev",
        "dnshealthcheckprobes.vedette.dev",
        "dnshealthcheckpolicies.vedette.dev",
        "gateways.gateway.networking.k8s.io",
        "dnsendpoints.externaldns.k8s.io",
      ]),
    );
  });

  test("lets a service account do what its roles say, and nothing else", async () => {
    const namespace = await cluster.freshNamespace();
    await cluster.kubectlOk(["create", "serviceaccount", "reader", "-n", namespace]);
    await cluster.kubectlOk(["create", "role", "reader", "-n", namespace, "--verb=list", "--resource=configmaps"]);
    const account = `--serviceaccount=${namespace}:reader`;
    await cluster.kubectlOk(["create", "rolebinding", "reader", "-n", namespace, "--role=reader", account]);
    const kubeconfig = await cluster.kubeconfigFor(namespace, "reader");
    expect((await cluster.kubectl(["get", "configmaps", "-n", namespace], "", kubeconfig)).code).toBe(0);
    const refused = await cluster.kubectl(["get", "secrets", "-n", namespace], "", kubeconfig);
    expect(refused.stderr).toContain(`User "system:serviceaccount:${namespace}:reader" cannot list resource "secrets"`);
  });

  test("tells in its audit log who wrote what", async () => {
    const namespace = await cluster.freshNamespace();
    await cluster.kubectlOk(["create", "configmap", "noted", "-n", namespace]);
    const written = cluster.auditEvents().find((event) => event.namespace === namespace && event.name === "noted");
    expect(written).toMatchObject({ verb: "create", resource: "configmaps", user: "kubernetes-admin", code: 201 });
    expect(written?.userAgent).toContain("kubectl");
  });

  test("empties a deleted namespace and collects what is owned", async () => {
    const namespace = await cluster.freshNamespace();
    const core = cluster.config.makeApiClient(CoreV1Api);
    const owner = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "owner" } } });
    const uid = owner.metadata?.uid ?? "";
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "owned", ownerReferences } } });
    await core.deleteNamespacedConfigMap({ namespace, name: "owner" });
    const isGone = async (args: string[]) => (await cluster.kubectl(["get", ...args])).stderr.includes("NotFound");
    await until("the owned object to go", () => isGone(["configmap", "owned", "-n", namespace]));
    await cluster.kubectlOk(["delete", "namespace", namespace, "--wait=false"]);
    await until("the namespace to go", () => isGone(["namespace", namespace]));
  });
});

describe("a control plane of a test's own", () => {
  let plane: ControlPlane;
  let pids: (number | undefined)[];

  beforeAll(async () => {
    plane = await startControlPlane();
    pids = [plane.etcd.pid, plane.apiserver.pid, plane.controllerManager.pid];
  });

  afterAll(async () => {
    await plane.stop();
    const left = listProcesses().filter(({ pid }) => pids.includes(pid));
    expect(left).toEqual([]);
    expect(existsSync(plane.access.folder)).toBe(false);
  });

  test("keeps its objects when the API server and etcd are killed and started again", async () => {
    const namespace = await plane.freshNamespace();
    await plane.apiserver.stop("SIGKILL");
    expect((await plane.kubectl(["get", "namespace", namespace])).code).not.toBe(0);
    await plane.apiserver.start();
    await plane.etcd.stop("SIGKILL");
    await plane.etcd.start();
    expect(await plane.kubectlOk(["get", "namespace", namespace, "-o", "name"])).toBe(`namespace/${namespace}\n`);
  });

  test("answers nothing while it is paused, and all of it afterwards", async () => {
    plane.apiserver.pause();
    const answer = plane.kubectl(["get", "namespaces", "--request-timeout=1s"]);
    expect((await answer).code).not.toBe(0);
    plane.apiserver.resume();
    await plane.kubectlOk(["get", "namespaces"]);
  });

  test("has forgotten what a watch from before missed, once compacted and started again", async () => {
    const namespace = await plane.freshNamespace();
    const core = plane.config.makeApiClient(CoreV1Api);
    const { metadata } = await core.listNamespacedConfigMap({ namespace });
    await plane.kubectlOk(["create", "configmap", "missed", "-n", namespace]);
    await plane.compact();
    await plane.apiserver.stop("SIGKILL");
    await plane.apiserver.start();
    const path = `/api/v1/namespaces/${namespace}/configmaps?watch=1&timeoutSeconds=5`;
    const watched = await plane.kubectl(["get", "--raw", `${path}&resourceVersion=${metadata?.resourceVersion}`]);
    expect(`${watched.stdout}${watched.stderr}`).toMatch(/too old resource version|compacted/);
  });
});
