import type { Case } from "./case.ts";
import type { Material } from "./material.ts";
import { type Running, run } from "./program.ts";

const GROUPS = { X25519: "X25519", "P-256": "SECP256R1", "P-384": "SECP384R1" };

/** `gnutls-serv`, answering each request with the page. */
export function startGnutls(binary: string, one: Case, material: Material, port: number): Promise<Running> {
  const { fullChain, key, folder } = material;
  const args = ["--http", "--httpdata", `${folder}/page.txt`, "--port", `${port}`, "--quiet"];
  args.push("--x509certfile", fullChain, "--x509keyfile", key, "--priority", priorityOf(one));
  if (!one.asksForCertificate) args.push("--disable-client-cert");
  return run(binary, args, folder, port);
}

/** GnuTLS' priority string: all of NORMAL but for what the case names. */
function priorityOf({ version, suite, group }: Case): string {
  const words = ["NORMAL", "-VERS-ALL", `+VERS-${version.replace("v", "")}`];
  if (group !== undefined) words.push("-GROUP-ALL", `+GROUP-${GROUPS[group]}`);
  const [, cipher] = /(AES_\d+_GCM|CHACHA20_POLY1305)/.exec(suite ?? "") ?? [];
  if (cipher !== undefined) words.push("-CIPHER-ALL", `+${cipher.replaceAll("_", "-")}`);
  return words.join(":");
}
