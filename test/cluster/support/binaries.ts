import { existsSync } from "node:fs";
import { join } from "node:path";
import { versionOf } from "./go.ts";
import { type BinarySet, builtBinaries } from "./go-build.ts";

const KUBERNETES: BinarySet<"etcd" | "kube-apiserver" | "kube-controller-manager" | "kubectl"> = {
  module: "kubernetes",
  packages: {
    etcd: "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
    kubectl: "k8s.io/kubernetes/cmd/kubectl",
  },
  variables() {
    const version = versionOf("kubernetes", "k8s.io/kubernetes");
    const [major = "", minor = ""] = version.replace("v", "").split(".");
    const set = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
    return Object.fromEntries(
      Object.entries(set).map(([name, value]) => [`k8s.io/component-base/version.${name}`, value]),
    );
  },
};

const EXTERNAL_DNS: BinarySet<"external-dns"> = {
  module: "external-dns",
  packages: { "external-dns": "sigs.k8s.io/external-dns" },
  variables: () => ({
    "sigs.k8s.io/external-dns/pkg/apis/externaldns.Version": versionOf("external-dns", "sigs.k8s.io/external-dns"),
  }),
};

/** Where each program of a control plane is. */
export type ClusterBinaries = Readonly<Record<keyof typeof KUBERNETES.packages, string>>;

/**
 * The programs of a control plane. Those in the folder `KUBEBUILDER_ASSETS` (the convention of controller-runtime's envtest) are
 * preferred. Go builds the missing ones, once, into a cache. Throws with what to do where neither can be.
 */
export async function clusterBinaries(): Promise<ClusterBinaries> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (!assets) return await builtBinaries(KUBERNETES);
  const inAssets = (name: string) => {
    const place = join(assets, name);
    if (existsSync(place)) return place;
    throw new Error(`KUBEBUILDER_ASSETS names ${assets}, which has no ${name}: put one there, or unset the variable.`);
  };
  const manager = join(assets, "kube-controller-manager");
  return {
    etcd: inAssets("etcd"),
    "kube-apiserver": inAssets("kube-apiserver"),
    kubectl: inAssets("kubectl"),
    // envtest has none.
    "kube-controller-manager": existsSync(manager)
      ? manager
      : (await builtBinaries(KUBERNETES))["kube-controller-manager"],
  };
}

/** external-dns itself: the one in `KUBEBUILDER_ASSETS` if there is one, else built by Go into the cache. */
export async function externalDnsBinary(): Promise<string> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  const given = assets ? join(assets, "external-dns") : "";
  return existsSync(given) ? given : (await builtBinaries(EXTERNAL_DNS))["external-dns"];
}
