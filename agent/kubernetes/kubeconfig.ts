import { existsSync } from "node:fs";
import { getCACertificates } from "node:tls";
import { type Cluster, KubeConfig } from "@kubernetes/client-node";

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

export interface ConfigSource {
  /** Path of a kubeconfig. Default: the pod's service account. */
  kubeconfig?: string | undefined;
  /** A context of the kubeconfig. Default: its current context. */
  context?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

export interface LoadedConfig {
  config: KubeConfig;
  /** The pod's own namespace, or the context's. */
  namespace: string | undefined;
}

/**
 * Loads the address of the API server and the credentials.
 *
 * @throws Error that says what is missing and what to do. It never quotes the file, which holds secrets
 */
export function loadKubeConfig({ kubeconfig, context, env }: ConfigSource): LoadedConfig {
  const config = kubeconfig ? fromFile(kubeconfig, context) : fromPod(env);
  const cluster = config.getCurrentCluster();
  if (cluster) config.clusters = config.clusters.map((one) => (one.name === cluster.name ? withRoots(one) : one));
  return { config, namespace: config.getContextObject(config.getCurrentContext())?.namespace?.trim() || undefined };
}

function fromPod(env: ConfigSource["env"]): KubeConfig {
  if (!env.KUBERNETES_SERVICE_HOST || !env.KUBERNETES_SERVICE_PORT)
    throw new Error("KUBERNETES_SERVICE_HOST is not set, so this is no pod: give the path of a kubeconfig");
  for (const file of ["token", "ca.crt"]) {
    if (!existsSync(`${ACCOUNT}/${file}`))
      throw new Error(`${ACCOUNT}/${file} is missing: set automountServiceAccountToken in the pod`);
  }
  const config = new KubeConfig();
  config.loadFromCluster();
  return config;
}

function fromFile(file: string, context: string | undefined): KubeConfig {
  const config = new KubeConfig();
  try {
    config.loadFromFile(file);
  } catch (error) {
    throw new Error(`kubeconfig ${file}: ${whyUnreadable(error)}`);
  }
  if (context) config.setCurrentContext(context);
  check(config, `kubeconfig ${file}`);
  return config;
}

/** A YAML error quotes the surrounding lines, which may hold a token or a key. */
function whyUnreadable(error: unknown): string {
  const { code, reason, mark, message } = error as {
    code?: string;
    reason?: string;
    mark?: { line: number };
    message: string;
  };
  if (code === "ENOENT") return "there is no such file";
  if (code !== undefined) return `cannot be read: ${code}`;
  if (reason !== undefined) return `is no YAML: ${reason}${mark ? ` in line ${mark.line + 1}` : ""}`;
  return `is no kubeconfig: ${message}`;
}

function check(config: KubeConfig, where: string): void {
  const name = config.getCurrentContext();
  const context = name ? config.getContextObject(name) : null;
  const known = config.contexts.map((one) => one.name).join(", ") || "none";
  if (!context) throw new Error(`${where}: there is no context "${name ?? ""}": choose one of: ${known}`);
  const cluster = config.getCluster(context.cluster);
  if (!cluster)
    throw new Error(`${where}: context "${name}" names the cluster "${context.cluster}", which is not in it`);
  if (!config.getUser(context.user))
    throw new Error(`${where}: context "${name}" names the user "${context.user}", which is not in it`);
  checkServer(cluster, where);
}

function checkServer({ name, server, caFile, skipTLSVerify }: Cluster, where: string): void {
  const protocol = URL.canParse(server ?? "") ? new URL(server).protocol : "";
  if (protocol !== "https:" && protocol !== "http:")
    throw new Error(`${where}: server of cluster "${name}" is no http(s) URL: set it`);
  if (protocol === "http:" && !skipTLSVerify)
    throw new Error(`${where}: server of cluster "${name}" is http: use https, or set insecure-skip-tls-verify`);
  if (caFile && !existsSync(caFile))
    throw new Error(`${where}: certificate-authority of cluster "${name}" is missing: ${caFile}`);
}

/**
 * A server without a CA of its own is verified with the public CAs. client-node keeps connections only for a named CA.
 */
function withRoots(cluster: Cluster): Cluster {
  if (cluster.caFile || cluster.caData || cluster.skipTLSVerify) return cluster;
  return { ...cluster, caData: Buffer.from(getCACertificates("default").join("\n")).toString("base64") };
}
