import type { TlsFault } from "./fault.ts";
import type { Offer } from "./offer.ts";
import type { VersionName } from "./parameters.ts";
import type { CertificateVerdict } from "./verify/verifier.ts";

export interface TlsOptions {
  /** The name to verify. It goes out as SNI unless it is an IP address. */
  serverName: string;
  /** Verifies a chain: DER, leaf first, as the server sent it. */
  verify: (chain: readonly Uint8Array[]) => CertificateVerdict;
  /** The chain is verified all the same; a fault is noted, not refused. */
  allowInsecureCertificate: boolean;
  /** Versions, suites, groups, signature schemes; as browsers offer them unless given. */
  offer?: Partial<Offer>;
  /** In place of the runtime's generator, for randoms and private keys; a recorded handshake is replayed with it. */
  randomBytes?: (length: number) => Uint8Array;
  /** Sends another ClientHello in place of the encoded one; a recorded handshake is replayed with it. */
  rewriteHello?: (message: Uint8Array) => Uint8Array;
}

export interface TlsInfo {
  version: VersionName;
  /** IANA name. */
  cipherSuite: string;
  /** End of the leaf's validity, Unix ms. */
  notAfter?: number;
  /** Earliest end of validity in the path that verified, else of the leaf. Unix ms. */
  expiresAt?: number;
  /** What verification found and allowInsecureCertificate let pass. */
  skipped?: TlsFault;
}
