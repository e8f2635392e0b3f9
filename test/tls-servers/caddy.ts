import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "./case.ts";
import { PAGE } from "./case.ts";
import type { Material } from "./material.ts";
import { type Running, run } from "./program.ts";

const GROUPS = { X25519: "x25519", "P-256": "secp256r1", "P-384": "secp384r1" };
const VERSIONS = { "TLSv1.2": "tls1.2", "TLSv1.3": "tls1.3" };

/** Go's TLS. */
export function startCaddy(binary: string, one: Case, material: Material, port: number): Promise<Running> {
  const policy = {
    protocol_min: VERSIONS[one.version],
    protocol_max: VERSIONS[one.version],
    ...(one.suite !== undefined && { cipher_suites: [one.suite] }),
    ...(one.group !== undefined && { curves: [GROUPS[one.group]] }),
    ...(one.asksForCertificate && { client_authentication: { mode: "request" } }),
  };
  const server = {
    listen: [`127.0.0.1:${port}`],
    automatic_https: { disable: true },
    protocols: ["h1"],
    tls_connection_policies: [policy],
    routes: [{ handle: [{ handler: "static_response", body: PAGE }] }],
  };
  const config = {
    admin: { disabled: true },
    logging: { logs: { default: { level: "ERROR" } } },
    apps: {
      http: { servers: { one: server } },
      tls: { certificates: { load_files: [{ certificate: material.fullChain, key: material.key }] } },
    },
  };
  const file = join(material.folder, `caddy-${port}.json`);
  writeFileSync(file, JSON.stringify(config));
  return run(binary, ["run", "--config", file], material.folder, port);
}
