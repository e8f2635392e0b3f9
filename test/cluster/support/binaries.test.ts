import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clusterBinaries } from "./binaries.ts";

let assets: string;
beforeEach(() => {
  assets = mkdtempSync(join(tmpdir(), "vedette-assets-"));
  vi.stubEnv("KUBEBUILDER_ASSETS", assets);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(assets, { recursive: true });
});

const put = (...names: string[]) => {
  for (const name of names) writeFileSync(join(assets, name), "");
};

test("the programs in KUBEBUILDER_ASSETS are taken", async () => {
  put("etcd", "kube-apiserver", "kubectl", "kube-controller-manager");
  expect(Object.values(await clusterBinaries()).every((place) => place.startsWith(assets))).toBe(true);
});

test("the controller manager, which envtest does not have, is built where it is not in KUBEBUILDER_ASSETS", async () => {
  put("etcd", "kube-apiserver", "kubectl");
  const places = await clusterBinaries();
  expect(places["kube-apiserver"]).toBe(join(assets, "kube-apiserver"));
  expect(places["kube-controller-manager"]).not.toContain(assets);
});

test("a folder that lacks a program is named, and so is the program", async () => {
  put("etcd", "kubectl");
  await expect(clusterBinaries()).rejects.toThrow(
    `KUBEBUILDER_ASSETS names ${assets}, which has no kube-apiserver: put one there, or unset the variable.`,
  );
});
