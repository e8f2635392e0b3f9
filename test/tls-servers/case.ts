/** Pure data: the tests in workerd read it as well as the servers in Node. */

export type ServerName = "OpenSSL" | "nginx" | "GnuTLS" | "caddy" | "Node";
export type Version = "TLSv1.2" | "TLSv1.3";
export type Key = "RSA" | "P-256" | "P-384" | "Ed25519";
export type Group = "X25519" | "P-256" | "P-384";

/** How a server is to be set up. What is not named is as the server has it by default. */
export interface Case {
  server: ServerName;
  version: Version;
  key: Key;
  /** The only suite, by its IANA name. */
  suite?: string;
  /** The only group. */
  group?: Group;
  /** The server asks for a client certificate, and does without. */
  asksForCertificate?: true;
  /** Octets of a record at most, so that handshake messages are spread over several. */
  recordOctets?: number;
  /** What stands between: `octets` cuts the stream into segments of 1 to 7 octets, `records` cleartext into records of 5. */
  between?: "octets" | "records";
}

/** What every server serves at /page.txt: more than two full records, with this at its end. */
export const NEEDLE = "needle";
export const PAGE = `${"x".repeat(40_000)}${NEEDLE}`;
/** The name in every certificate. */
export const HOST = "shop.test";

/** The programs, and how each is installed; Node is there. */
export const INSTALL: Record<Exclude<ServerName, "Node">, { binaries: string[]; command: string }> = {
  OpenSSL: { binaries: ["/usr/bin/openssl", "/opt/homebrew/bin/openssl"], command: "apt-get install openssl" },
  nginx: { binaries: ["/usr/sbin/nginx", "/opt/homebrew/bin/nginx"], command: "apt-get install nginx-light" },
  GnuTLS: {
    binaries: ["/usr/bin/gnutls-serv", "/opt/homebrew/bin/gnutls-serv"],
    command: "apt-get install gnutls-bin",
  },
  caddy: { binaries: ["/usr/bin/caddy", "/opt/homebrew/bin/caddy"], command: "apt-get install caddy" },
};

const SERVERS: readonly ServerName[] = ["OpenSSL", "nginx", "GnuTLS", "caddy", "Node"];
const VERSIONS: readonly Version[] = ["TLSv1.3", "TLSv1.2"];
const KEYS: readonly Key[] = ["RSA", "P-256", "P-384", "Ed25519"];
const GROUPS: readonly Group[] = ["X25519", "P-256", "P-384"];
const SUITES_13 = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];
const SUITES_12 = ["AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256"];

function casesOf(server: ServerName): Case[] {
  const all = VERSIONS.map((version) => ({ server, version }));
  return [
    ...all.flatMap((one) => KEYS.map((key) => ({ ...one, key }))),
    ...all.flatMap((one) => GROUPS.map((group) => ({ ...one, key: "P-256" as const, group }))),
    ...all.map((one) => ({ ...one, key: "P-256" as const, asksForCertificate: true as const })),
    // Go lets nobody choose a suite of TLS 1.3.
    ...(server === "caddy"
      ? []
      : SUITES_13.map((suite) => ({ server, version: "TLSv1.3", key: "P-256", suite }) as const)),
    ...SUITES_12.flatMap((suite) => [
      { server, version: "TLSv1.2", key: "RSA", suite: `TLS_ECDHE_RSA_WITH_${suite}` } as const,
      { server, version: "TLSv1.2", key: "P-256", suite: `TLS_ECDHE_ECDSA_WITH_${suite}` } as const,
    ]),
  ];
}

export const CASES: readonly Case[] = [
  ...SERVERS.flatMap(casesOf),
  ...VERSIONS.flatMap((version): Case[] => [
    { server: "OpenSSL", version, key: "RSA", recordOctets: 512 },
    { server: "Node", version, key: "RSA", recordOctets: 512 },
    { server: "Node", version, key: "RSA", between: "octets" },
    { server: "Node", version, key: "RSA", between: "records" },
  ]),
];

/** `OpenSSL, TLSv1.3, RSA certificate, 512-octet records` */
export function titleOf({ server, version, key, ...rest }: Case): string {
  return [
    server,
    version,
    `${key} certificate`,
    ...(rest.suite ? [`${rest.suite} alone`] : []),
    ...(rest.group ? [`${rest.group} alone`] : []),
    ...(rest.asksForCertificate ? ["asks for a client certificate"] : []),
    ...(rest.recordOctets ? [`records of ${rest.recordOctets} octets`] : []),
    ...(rest.between ? [`cut into small ${rest.between}`] : []),
  ].join(", ");
}
