import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../support/free-port.ts";
import { clusterBinaries } from "./binaries.ts";
import { Cluster, type ClusterAccess } from "./cluster.ts";
import { Daemon } from "./daemon.ts";
import { guard } from "./guard.ts";
import { type Identities, makeIdentities, writeKubeconfig } from "./identities.ts";

/** What differs from the control plane that most tests need. */
export interface ControlPlaneOptions {
  /** Further flags of the API server, which win over the usual ones. */
  apiserverArgs?: readonly string[];
  /** Without it nothing collects owned objects, empties a deleted namespace or makes the account `default`. */
  controllerManager?: boolean;
}

/** A Kubernetes control plane of its own: etcd, API server and controller manager, to be used, broken and ended. */
export class ControlPlane extends Cluster {
  readonly etcd: Daemon;
  readonly apiserver: Daemon;
  /** Runs the controllers of namespaces, garbage and service accounts. */
  readonly controllerManager: Daemon;
  readonly #etcdUrl: string;
  readonly #release: () => void;

  constructor(access: ClusterAccess, daemons: Daemons, etcdUrl: string) {
    super(access);
    this.etcd = daemons.etcd;
    this.apiserver = daemons.apiserver;
    this.controllerManager = daemons.controllerManager;
    this.#etcdUrl = etcdUrl;
    this.#release = guard({ folder: access.folder });
  }

  /**
   * Forgets the history in etcd: the rest of a list that was begun before answers 410. Watches are served from the API server's
   * memory, so that one from before answers 410 only after the API server was started again too.
   */
  async compact(): Promise<void> {
    const now = await this.#etcdCall("range", { key: btoa("/registry/namespaces/default") });
    await this.#etcdCall("compaction", { revision: now.header.revision, physical: true });
  }

  /** Ends everything and removes its folder. */
  async stop(): Promise<void> {
    await this.controllerManager.stop("SIGKILL");
    await this.apiserver.stop("SIGKILL");
    await this.etcd.stop("SIGKILL");
    rmSync(this.access.folder, { recursive: true, force: true });
    this.#release();
  }

  async #etcdCall(verb: string, body: object): Promise<{ header: { revision: string } }> {
    const answer = await fetch(`${this.#etcdUrl}/v3/kv/${verb}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd refuses ${verb}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { header: { revision: string } };
  }
}

interface Daemons {
  etcd: Daemon;
  apiserver: Daemon;
  controllerManager: Daemon;
}

interface Place {
  folder: string;
  etcdUrl: string;
  server: string;
  kubeconfig: string;
  auditLog: string;
  identities: Identities;
}

/** Starts a control plane on free ports of the loopback interface, as envtest does. It ends with this process at the latest. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binaries = await clusterBinaries();
  const folder = mkdtempSync(join(tmpdir(), "vedette-cluster-"));
  const identities = await makeIdentities(folder);
  const server = `https://127.0.0.1:${await freePort()}`;
  const identity = { server, authority: identities.authority };
  const kubeconfig = writeKubeconfig(join(folder, "admin.kubeconfig"), identity, identities.tokens.admin);
  const auditLog = join(folder, "audit.log");
  const place = { folder, identities, server, kubeconfig, auditLog, etcdUrl: `http://127.0.0.1:${await freePort()}` };
  const etcd = new Daemon(etcdProgram(binaries.etcd, place));
  const apiserver = new Daemon(apiserverProgram(binaries["kube-apiserver"], place, options.apiserverArgs ?? []));
  const controllerManager = new Daemon(managerProgram(binaries["kube-controller-manager"], place));
  const access = { ...identity, folder, kubeconfig, auditLog, kubectlBinary: binaries.kubectl };
  const plane = new ControlPlane(access, { etcd, apiserver, controllerManager }, place.etcdUrl);
  try {
    await etcd.start();
    await apiserver.start();
    if (options.controllerManager ?? true) await controllerManager.start();
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

function etcdProgram(binary: string, { folder, etcdUrl }: Place) {
  const args = [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    "--listen-peer-urls=http://127.0.0.1:0",
    "--unsafe-no-fsync",
    "--log-level=warn",
  ];
  const isReady = async () => (await fetch(`${etcdUrl}/readyz`)).ok;
  return { name: "etcd", binary, args, folder, isReady };
}

const AUDIT_POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata" }],
};

function apiserverProgram(binary: string, place: Place, more: readonly string[]) {
  const { folder, etcdUrl, server, identities, auditLog } = place;
  const { files, tokens } = identities;
  const auditPolicy = join(folder, "audit-policy.json");
  writeFileSync(auditPolicy, JSON.stringify(AUDIT_POLICY));
  mkdirSync(join(folder, "certificates"), { recursive: true });
  const args = [
    `--etcd-servers=${etcdUrl}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${new URL(server).port}`,
    // A loopback address cannot be an endpoint of the Service `kubernetes`.
    "--endpoint-reconciler-type=none",
    `--cert-dir=${join(folder, "certificates")}`,
    `--tls-cert-file=${files.certificate}`,
    `--tls-private-key-file=${files.key}`,
    `--token-auth-file=${files.tokens}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${files.serviceAccounts}`,
    `--service-account-signing-key-file=${files.serviceAccounts}`,
    "--service-cluster-ip-range=10.96.0.0/16",
    // Otherwise SIGTERM waits a minute for watches that nobody ends.
    "--shutdown-watch-termination-grace-period=1s",
    `--audit-policy-file=${auditPolicy}`,
    `--audit-log-path=${auditLog}`,
    ...more,
  ];
  const isReady = () => answers(`${server}/readyz`, identities.authority, tokens.admin);
  return { name: "kube-apiserver", binary, args, folder, isReady };
}

/** The controllers that the tests depend on; the others would only take time. */
const CONTROLLERS = [
  "garbage-collector-controller",
  "namespace-controller",
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
];

function managerProgram(binary: string, { folder, server, identities }: Place) {
  const access = { server, authority: identities.authority };
  const file = join(folder, "controller-manager.kubeconfig");
  const kubeconfig = writeKubeconfig(file, access, identities.tokens.controllerManager);
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${CONTROLLERS.join(",")}`,
    `--service-account-private-key-file=${identities.files.serviceAccounts}`,
    "--leader-elect=false",
    "--secure-port=0",
  ];
  const account = `${server}/api/v1/namespaces/default/serviceaccounts/default`;
  const isReady = () => answers(account, identities.authority, identities.tokens.admin);
  return { name: "kube-controller-manager", binary, args, folder, isReady };
}

/** Whether a GET with the token is answered with 200. */
function answers(url: string, authority: string, token: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const options = { ca: authority, headers: { authorization: `Bearer ${token}` }, agent: false, timeout: 2_000 };
    const asked = request(url, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked
      .once("timeout", () => asked.destroy())
      .once("error", reject)
      .end();
  });
}
