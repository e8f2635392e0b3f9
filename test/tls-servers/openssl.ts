import type { Case } from "./case.ts";
import type { Material } from "./material.ts";
import { type Running, run } from "./program.ts";

/** `openssl s_server`, serving the files of its folder. */
export function startOpenssl(binary: string, one: Case, material: Material, port: number): Promise<Running> {
  const { certificate, key, folder } = material;
  const args = ["s_server", "-accept", `127.0.0.1:${port}`, "-cert", certificate, "-cert_chain", material.chain];
  args.push("-key", key, "-WWW", one.version === "TLSv1.2" ? "-tls1_2" : "-tls1_3");
  if (one.suite !== undefined) {
    args.push(one.version === "TLSv1.2" ? "-cipher" : "-ciphersuites", opensslSuite(one.suite));
  }
  if (one.group !== undefined) args.push("-groups", one.group);
  if (one.asksForCertificate) args.push("-verify", "1");
  if (one.recordOctets !== undefined) args.push("-max_send_frag", `${one.recordOctets}`);
  return run(binary, args, folder, port);
}

/** OpenSSL's name of a suite: those of TLS 1.3 go by their IANA names. */
export function opensslSuite(suite: string): string {
  const [, exchange, cipher] = /^TLS_(.+)_WITH_(.+)$/.exec(suite) ?? [];
  if (exchange === undefined || cipher === undefined) return suite;
  const short = cipher.replace("CHACHA20_POLY1305_SHA256", "CHACHA20_POLY1305").replace(/AES_(\d+)/, "AES$1");
  return `${exchange}_${short}`.replaceAll("_", "-");
}
