import { equalBytes, Reader } from "./bytes.ts";
import type { SentHello } from "./client-hello.ts";
import type { Extensions } from "./extensions.ts";
import { checkExtensions, readExtensions } from "./extensions.ts";
import type { Offer } from "./offer.ts";
import type { Suite, VersionName } from "./parameters.ts";
import { EXTENSION, SUITES, TLS12, TLS13 } from "./parameters.ts";
import { refuse } from "./tls-error.ts";

/** A ServerHello that keeps to what was offered. */
export interface ServerHello {
  version: VersionName;
  retry: boolean;
  random: Uint8Array;
  suite: Suite;
  extensions: Extensions;
}

/** SHA-256 of "HelloRetryRequest", the random that marks one (RFC 8446 §4.1.3). */
const RETRY_RANDOM = new Uint8Array(
  Buffer.from("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c", "hex"),
);
/** Last bytes of the random of a server that could have spoken a newer version, "DOWNGRD" and 1 or 0 (RFC 8446 §4.1.3). */
const DOWNGRADE = [...new TextEncoder().encode("DOWNGRD")];

const OLD_VERSIONS: Record<number, string> = { 768: "SSL 3.0", 769: "TLS 1.0", 770: "TLS 1.1" };
const ALLOWED = {
  retry: [EXTENSION.supportedVersions, EXTENSION.keyShare],
  "TLSv1.3": [EXTENSION.supportedVersions, EXTENSION.keyShare],
  // Some servers send supported_groups here, against RFC 8422 §5.2; everybody lets them.
  "TLSv1.2": [
    EXTENSION.serverName,
    EXTENSION.supportedGroups,
    EXTENSION.ecPointFormats,
    EXTENSION.alpn,
    EXTENSION.extendedMasterSecret,
  ],
} as const;

/** Reads a ServerHello or HelloRetryRequest (RFC 8446 §4.1.3) and holds it against the offer. */
export function readServerHello(body: Uint8Array, sent: SentHello, offer: Offer): ServerHello {
  const reader = new Reader(body, "ServerHello");
  const legacyVersion = reader.u16();
  const random = reader.take(32);
  const sessionId = reader.vector8();
  const suiteCode = reader.u16();
  const compression = reader.u8();
  const extensions = readExtensions(reader.empty ? new Uint8Array(0) : reader.vector16(), "ServerHello");
  reader.end();

  const version = versionOf(legacyVersion, extensions, offer);
  const retry = equalBytes(random, RETRY_RANDOM);
  if (retry && version !== "TLSv1.3") refuse("illegal_parameter", "it asks to try again in an old version");
  const suite = SUITES.find(({ code, name }) => code === suiteCode && offer.suites.includes(name));
  if (!suite || suite.version !== version) {
    return refuse("illegal_parameter", `it chose cipher suite 0x${suiteCode.toString(16)}, which was not offered`);
  }
  if (compression !== 0) refuse("illegal_parameter", "it chose compression");
  checkSession(version, sessionId, sent);
  if (version === "TLSv1.2") checkDowngrade(random, offer);
  checkExtensions(
    extensions,
    {
      offered: sent.extensions,
      allowed: ALLOWED[retry ? "retry" : version],
      unasked: retry ? [EXTENSION.cookie] : version === "TLSv1.2" ? [EXTENSION.renegotiationInfo] : [],
    },
    "ServerHello",
  );
  return { version, retry, random, suite, extensions };
}

function versionOf(legacy: number, extensions: Extensions, offer: Offer): VersionName {
  const selected = extensions.get(EXTENSION.supportedVersions);
  if (selected) {
    const reader = new Reader(selected, "supported_versions");
    const version = reader.u16();
    reader.end();
    // Versions before 1.3 are never chosen this way (RFC 8446 §4.2.1).
    if (version !== TLS13 || legacy !== TLS12)
      refuse("illegal_parameter", `it chose version 0x${version.toString(16)}`);
    if (!offer.versions.includes("TLSv1.3")) refuse("unsupported_extension", "it chose TLS 1.3, which was not offered");
    return "TLSv1.3";
  }
  if (legacy === TLS12 && offer.versions.includes("TLSv1.2")) return "TLSv1.2";
  const name = legacy === TLS12 ? "TLS 1.2" : (OLD_VERSIONS[legacy] ?? `version 0x${legacy.toString(16)}`);
  const wanted = offer.versions.map((each) => each.replace("TLSv", "TLS ")).join(" or ");
  return refuse("protocol_version", `The server speaks ${name}, a probe ${wanted}`, "TLSVersionUnsupported");
}

function checkSession(version: VersionName, sessionId: Uint8Array, sent: SentHello): void {
  const echoed = equalBytes(sessionId, sent.sessionId);
  if (version === "TLSv1.3" && !echoed) refuse("illegal_parameter", "it did not echo the session id");
  // There is no session of ours that TLS 1.2 could resume.
  if (version === "TLSv1.2" && echoed && sessionId.length > 0)
    refuse("illegal_parameter", "it resumes a session there never was");
}

function checkDowngrade(random: Uint8Array, offer: Offer): void {
  const marked = DOWNGRADE.every((byte, at) => random[24 + at] === byte);
  if (marked && (random[31] === 0 || (random[31] === 1 && offer.versions.includes("TLSv1.3")))) {
    refuse("illegal_parameter", "somebody between it and the prober forces an older version of TLS");
  }
}
