import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo, Server } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TlsOptions as ServerOptions } from "node:tls";
import { createServer } from "node:tls";
import { freePort } from "../support/free-port.ts";
import type { Identity, KeyKind } from "./self-signed.ts";
import { selfSigned } from "./self-signed.ts";

export interface TlsPeers {
  /** Node's own servers by kind of key; each takes every version, suite and group that Node has. */
  node: Record<KeyKind, number>;
  /** Node's, with something special. */
  special: Record<keyof typeof SPECIAL, number>;
  /** OpenSSL's `s_server -www`; absent where openssl is not installed. */
  openssl?: Record<keyof typeof OPENSSL, number>;
}

const KINDS: readonly KeyKind[] = ["rsa", "p256", "p384", "p521", "ed25519"];
const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";

const SPECIAL = {
  /** Asks for P-384 alone: a HelloRetryRequest in TLS 1.3. */
  p384Group: { ecdhCurve: "P-384" },
  clientCertificate: { requestCert: true, rejectUnauthorized: false },
  clientCertificateRequired: { requestCert: true, rejectUnauthorized: true },
  old: { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" },
  tls12: { maxVersion: "TLSv1.2" },
  cbcOnly: { maxVersion: "TLSv1.2", ciphers: "ECDHE-RSA-AES128-SHA256" },
  otherProtocol: { ALPNProtocols: ["imap"] },
} as const satisfies Record<string, ServerOptions>;

const OPENSSL = {
  rsa: [],
  tls12: ["-tls1_2"],
  retry: ["-tls1_3", "-groups", "P-384"],
  tinyRecords: ["-max_send_frag", "512"],
  clientCertificate: ["-verify", "1"],
  noCompatibility: ["-no_middlebox"],
} as const;

const hasOpenssl = (): boolean => spawnSync("openssl", ["version"]).status === 0;

async function listen(options: ServerOptions): Promise<Server> {
  const server = createServer(options, (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(ANSWER));
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const up = await new Promise<boolean>((done) => {
      const socket = connect(port, "127.0.0.1", () => done(true)).on("error", () => done(false));
      socket.on("connect", () => socket.destroy());
    });
    if (up) return;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error(`openssl s_server does not listen on port ${port}`);
}

async function startOpenssl(folder: string, options: readonly string[], started: ChildProcess[]) {
  const port = await freePort();
  const files = ["-cert", join(folder, "cert.pem"), "-key", join(folder, "key.pem")];
  started.push(spawn("openssl", ["s_server", "-www", "-accept", `${port}`, ...files, ...options], { stdio: "ignore" }));
  await answers(port);
  return port;
}

/** Starts every server; `close` ends them. */
export async function startTlsPeers(): Promise<{ ports: TlsPeers; close: () => Promise<void> }> {
  const identities = Object.fromEntries(KINDS.map((kind) => [kind, selfSigned(kind)])) as Record<KeyKind, Identity>;
  const servers: Server[] = [];
  const children: ChildProcess[] = [];
  const folder = mkdtempSync(join(tmpdir(), "vedette-tls-"));
  const endChildren = () => {
    for (const child of children) child.kill();
  };
  // Vitest does not close what one setup began when another fails.
  process.once("exit", endChildren);
  const start = async (options: ServerOptions) => {
    const server = await listen({ ALPNProtocols: ["http/1.1"], ...options });
    servers.push(server);
    return portOf(server);
  };
  const all = async <K extends string, T>(table: Record<K, T>, begin: (value: T) => Promise<number>) =>
    Object.fromEntries(
      await Promise.all(Object.entries<T>(table).map(async ([name, value]) => [name, await begin(value)])),
    ) as Record<K, number>;

  const ports: TlsPeers = {
    node: await all(identities, (identity) => start({ ...identity, maxVersion: "TLSv1.3", minVersion: "TLSv1.2" })),
    special: await all<keyof typeof SPECIAL, ServerOptions>(SPECIAL, (options) =>
      start({ ...identities.rsa, ...options }),
    ),
  };
  if (hasOpenssl()) {
    writeFileSync(join(folder, "cert.pem"), identities.rsa.cert);
    writeFileSync(join(folder, "key.pem"), identities.rsa.key);
    ports.openssl = await all<keyof typeof OPENSSL, readonly string[]>(OPENSSL, (options) =>
      startOpenssl(folder, options, children),
    );
  }
  const close = async () => {
    endChildren();
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    rmSync(folder, { recursive: true });
  };
  return { ports, close };
}
