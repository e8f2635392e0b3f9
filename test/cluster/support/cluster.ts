import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { type AuditEvent, auditEventsIn } from "./audit.ts";
import { type ServerIdentity, writeKubeconfig } from "./identities.ts";

/** All that one needs to use a running control plane from another process. */
export interface ClusterAccess extends ServerIdentity {
  folder: string;
  /** Paths. */
  kubeconfig: string;
  kubectlBinary: string;
  auditLog: string;
}

/** What a program said and how it ended. */
export interface Outcome {
  stdout: string;
  stderr: string;
  code: number | null;
}

let namespaces = 0;

/** A running control plane, as its users see it. */
export class Cluster {
  readonly access: ClusterAccess;

  constructor(access: ClusterAccess) {
    this.access = access;
  }

  /** The URL of the API server. */
  get server(): string {
    return this.access.server;
  }

  /** The path of an administrator's kubeconfig. */
  get kubeconfig(): string {
    return this.access.kubeconfig;
  }

  /** The same for client-node. */
  get config(): KubeConfig {
    return configOf(this.kubeconfig);
  }

  /** Runs kubectl, as administrator where no other kubeconfig is given. Does not throw when it fails: see `code`. */
  async kubectl(args: readonly string[], input = "", kubeconfig = this.kubeconfig): Promise<Outcome> {
    const env = { PATH: process.env.PATH, HOME: this.access.folder, KUBECONFIG: kubeconfig };
    const child = spawn(this.access.kubectlBinary, args, { env, stdio: "pipe" });
    const outcome: Outcome = { stdout: "", stderr: "", code: null };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        outcome[stream] += text;
      });
    }
    child.stdin.on("error", () => undefined); // It may end without reading: its exit code tells.
    child.stdin.end(input);
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ ...outcome, code }));
    });
  }

  /** Runs kubectl and gives what it prints. Throws with what it says when it fails. */
  async kubectlOk(args: readonly string[], input = ""): Promise<string> {
    const { stdout, stderr, code } = await this.kubectl(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** Makes a namespace that nobody else uses. Returns its name. */
  async freshNamespace(prefix = "test"): Promise<string> {
    namespaces += 1;
    const name = `${prefix}-${process.pid.toString(36)}-${namespaces}`;
    await this.kubectlOk(["create", "namespace", name]);
    return name;
  }

  /** Writes a kubeconfig for a service account that exists, with a token of the TokenRequest API. Returns its path. */
  async kubeconfigFor(namespace: string, account: string): Promise<string> {
    const token = await this.kubectlOk(["create", "token", account, "--namespace", namespace, "--duration", "2h"]);
    const file = join(this.access.folder, `${namespace}.${account}.kubeconfig`);
    return writeKubeconfig(file, this.access, token.trim());
  }

  /** What the API server was asked, in order, since it was first started, as its audit log has it. */
  auditEvents(): AuditEvent[] {
    return auditEventsIn(readFileSync(this.access.auditLog, "utf8"));
  }
}

/** client-node's reading of a kubeconfig. */
export function configOf(kubeconfig: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return config;
}
