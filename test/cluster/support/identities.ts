import { generateKeyPairSync, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { makeAuthority, makeServerIdentity } from "../../../local/certificates.ts";

/** What a kubeconfig needs to know of the API server. */
export interface ServerIdentity {
  server: string;
  /** PEM */
  authority: string;
}

/** The secrets of one control plane, as files and as what its clients need. */
export interface Identities {
  /** PEM */
  authority: string;
  files: { certificate: string; key: string; serviceAccounts: string; tokens: string };
  tokens: { admin: string; controllerManager: string };
}

const newToken = () => randomBytes(24).toString("hex");

/** Makes a control plane's certificate, the key of its service accounts, and the tokens of its administrators. */
export async function makeIdentities(folder: string): Promise<Identities> {
  const now = Date.now();
  const authority = await makeAuthority("control plane of tests", now);
  const server = await makeServerIdentity(authority, ["localhost", "127.0.0.1", "kubernetes.default.svc"], now);
  const serviceAccounts = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const tokens = { admin: newToken(), controllerManager: newToken() };
  const write = (name: string, content: string) => {
    const file = join(folder, name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  };
  const lines = [
    `${tokens.admin},kubernetes-admin,admin,"system:masters"`,
    `${tokens.controllerManager},system:kube-controller-manager,controller-manager,"system:masters"`,
  ];
  return {
    authority: authority.certificate,
    files: {
      certificate: write("server.crt", server.certificate),
      key: write("server.key", server.key),
      serviceAccounts: write("service-accounts.key", String(serviceAccounts.export({ type: "pkcs8", format: "pem" }))),
      tokens: write("tokens.csv", `${lines.join("\n")}\n`),
    },
    tokens,
  };
}

/** Writes a kubeconfig for the bearer of a token. Returns its path. */
export function writeKubeconfig(file: string, { server, authority }: ServerIdentity, token: string): string {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "certificate-authority-data": btoa(authority) } }],
    users: [{ name: "test", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    "current-context": "test",
  };
  writeFileSync(file, stringify(config), { mode: 0o600 });
  return file;
}
