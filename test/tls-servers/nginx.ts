import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "./case.ts";
import type { Material } from "./material.ts";
import { opensslSuite } from "./openssl.ts";
import { type Running, run } from "./program.ts";

const GROUPS = { X25519: "X25519", "P-256": "prime256v1", "P-384": "secp384r1" };

export function startNginx(binary: string, one: Case, material: Material, port: number): Promise<Running> {
  const lines = [`ssl_protocols ${one.version};`];
  if (one.group !== undefined) lines.push(`ssl_ecdh_curve ${GROUPS[one.group]};`);
  if (one.suite !== undefined) {
    const directive = one.version === "TLSv1.2" ? "ssl_ciphers" : "ssl_conf_command Ciphersuites";
    lines.push(`${directive} ${opensslSuite(one.suite)};`);
  }
  if (one.asksForCertificate) lines.push("ssl_verify_client optional_no_ca;");
  return runNginx(binary, [serverBlock(port, "_", material, lines)], material.folder, port);
}

/** Several names on one port, each with a certificate of its own. */
export function startNginxFor(binary: string, hosts: ReadonlyMap<string, Material>, port: number): Promise<Running> {
  const blocks = [...hosts].map(([host, material]) => serverBlock(port, host, material, ["ssl_protocols TLSv1.3;"]));
  const [first] = hosts.values();
  return runNginx(binary, blocks, first?.folder ?? "", port);
}

function serverBlock(port: number, host: string, { fullChain, key, folder }: Material, lines: string[]): string {
  return `server {
    listen 127.0.0.1:${port} ssl; server_name ${host}; root ${folder};
    ssl_certificate ${fullChain}; ssl_certificate_key ${key};
    ${lines.join(" ")}
  }`;
}

function runNginx(binary: string, blocks: string[], folder: string, port: number): Promise<Running> {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const name = `nginx-${port}.conf`;
  const config = `daemon off; master_process off; pid ${folder}/nginx-${port}.pid; error_log stderr;
events { worker_connections 64; }
http {
  access_log off; default_type text/plain;
  ${temporary.map((kind) => `${kind}_temp_path ${folder}/nginx-${kind};`).join(" ")}
  ${blocks.join("\n  ")}
}`;
  writeFileSync(join(folder, name), config);
  return run(binary, ["-p", folder, "-e", "stderr", "-c", name], folder, port);
}
