/** Numbers of RFC 8446, 5246, 7905, 8422 and their IANA registries. */

export const CONTENT = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 } as const;

export const HANDSHAKE = {
  helloRequest: 0,
  clientHello: 1,
  serverHello: 2,
  newSessionTicket: 4,
  encryptedExtensions: 8,
  certificate: 11,
  serverKeyExchange: 12,
  certificateRequest: 13,
  serverHelloDone: 14,
  certificateVerify: 15,
  clientKeyExchange: 16,
  finished: 20,
  keyUpdate: 24,
  messageHash: 254,
} as const;

export const EXTENSION = {
  serverName: 0,
  supportedGroups: 10,
  ecPointFormats: 11,
  signatureAlgorithms: 13,
  alpn: 16,
  padding: 21,
  extendedMasterSecret: 23,
  recordSizeLimit: 28,
  supportedVersions: 43,
  cookie: 44,
  keyShare: 51,
  renegotiationInfo: 0xff01,
} as const;

export const TLS12 = 0x0303;
export const TLS13 = 0x0304;

export type VersionName = "TLSv1.3" | "TLSv1.2";

/** TLS_EMPTY_RENEGOTIATION_INFO_SCSV, RFC 5746 §3.3. */
export const RENEGOTIATION_SCSV = 0x00ff;

type Hash = "sha256" | "sha384";

export type { Hash as HashName };

export interface Suite {
  code: number;
  name: string;
  version: VersionName;
  cipher: "aes-128-gcm" | "aes-256-gcm" | "chacha20-poly1305";
  keyLength: 16 | 32;
  hash: Hash;
  /** The kind of certificate key a TLS 1.2 suite is for; TLS 1.3 suites leave it open. */
  keyType?: "rsa" | "ecdsa";
}

const AES_128 = { cipher: "aes-128-gcm", keyLength: 16, hash: "sha256" } as const;
const AES_256 = { cipher: "aes-256-gcm", keyLength: 32, hash: "sha384" } as const;
const CHACHA = { cipher: "chacha20-poly1305", keyLength: 32, hash: "sha256" } as const;

/** Every suite there is here, in the order browsers prefer them. */
export const SUITES = [
  { code: 0x1301, name: "TLS_AES_128_GCM_SHA256", version: "TLSv1.3", ...AES_128 },
  { code: 0x1302, name: "TLS_AES_256_GCM_SHA384", version: "TLSv1.3", ...AES_256 },
  { code: 0x1303, name: "TLS_CHACHA20_POLY1305_SHA256", version: "TLSv1.3", ...CHACHA },
  { code: 0xc02b, name: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", version: "TLSv1.2", keyType: "ecdsa", ...AES_128 },
  { code: 0xc02f, name: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", version: "TLSv1.2", keyType: "rsa", ...AES_128 },
  { code: 0xc02c, name: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", version: "TLSv1.2", keyType: "ecdsa", ...AES_256 },
  { code: 0xc030, name: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", version: "TLSv1.2", keyType: "rsa", ...AES_256 },
  {
    code: 0xcca9,
    name: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    version: "TLSv1.2",
    keyType: "ecdsa",
    ...CHACHA,
  },
  { code: 0xcca8, name: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", version: "TLSv1.2", keyType: "rsa", ...CHACHA },
] as const satisfies readonly Suite[];

export type SuiteName = (typeof SUITES)[number]["name"];

export const GROUPS = { x25519: 0x001d, secp256r1: 0x0017, secp384r1: 0x0018, secp521r1: 0x0019 } as const;

export type GroupName = keyof typeof GROUPS;

export const groupName = (code: number): GroupName | undefined =>
  (Object.keys(GROUPS) as GroupName[]).find((name) => GROUPS[name] === code);
