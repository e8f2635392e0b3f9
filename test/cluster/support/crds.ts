import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";
import { sourceOf } from "./go.ts";

const OWN = join(import.meta.dirname, "..", "..", "..", "deploy", "crds");

/** Installs the definitions of our kinds, of Gateway API and of external-dns' DNSEndpoint; resolves once they are served. */
export async function installCrds(cluster: Cluster): Promise<void> {
  const gatewayApi = join(await sourceOf("gateway-api", "sigs.k8s.io/gateway-api"), "config", "crd", "standard");
  const externalDns = join(await sourceOf("external-dns", "sigs.k8s.io/external-dns"), "config", "crd", "standard");
  const definitions = [
    ...(existsSync(OWN) ? [OWN] : []),
    join(gatewayApi, "gateway.networking.k8s.io_gatewayclasses.yaml"),
    join(gatewayApi, "gateway.networking.k8s.io_gateways.yaml"),
    join(externalDns, "dnsendpoints.externaldns.k8s.io.yaml"),
  ];
  await cluster.kubectlOk(["apply", "--server-side", ...definitions.flatMap((place) => ["-f", place])]);
  await cluster.kubectlOk(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
}
