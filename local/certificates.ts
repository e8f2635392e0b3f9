import { Buffer } from "node:buffer";
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";

/** A certificate and its private key, in PEM. */
export interface Identity {
  certificate: string;
  key: string;
}

const HOUR_MS = 3_600_000;
const ECDSA_SHA256 = new AlgorithmIdentifier({ algorithm: "1.2.840.10045.4.3.2" });
const COMMON_NAME = "2.5.4.3";

/** A certificate authority for a local stack: P-256, valid for `days` from an hour before `nowMs`. */
export function makeAuthority(name: string, nowMs: number, days = 365): Identity {
  const key = newKey();
  const extensions = [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: true }), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
    extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyId(key.spki))),
  ];
  return made({ subject: named(name), key, issuer: named(name), issuerKey: key.private, extensions, nowMs, days });
}

/** A certificate for a server of these names, host names or IP addresses, issued by `authority`. */
export function makeServerIdentity(authority: Identity, names: readonly string[], nowMs: number, days = 90): Identity {
  const key = newKey();
  const issuer = AsnConvert.parse(derOf(authority.certificate), Certificate).tbsCertificate;
  const issuerSpki = AsnConvert.serialize(issuer.subjectPublicKeyInfo);
  const extensions = [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: false }), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
    extension(id_ce_subjectAltName, new SubjectAlternativeName(names.map(generalName))),
    extension(
      id_ce_authorityKeyIdentifier,
      new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyId(issuerSpki)) }),
    ),
  ];
  const issuerKey = createPrivateKey(authority.key);
  return made({ subject: named(names[0] ?? ""), key, issuer: issuer.subject, issuerKey, extensions, nowMs, days });
}

interface Key {
  private: KeyObject;
  /** SubjectPublicKeyInfo in DER. */
  spki: ArrayBuffer;
}

interface Making {
  subject: Name;
  key: Key;
  issuer: Name;
  issuerKey: KeyObject;
  extensions: Extension[];
  nowMs: number;
  days: number;
}

function made({ subject, key, issuer, issuerKey, extensions, nowMs, days }: Making): Identity {
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    // Positive and in its shortest form (RFC 5280 §4.1.2.2).
    serialNumber: Uint8Array.from([0x40, ...randomBytes(15)]).buffer,
    signature: ECDSA_SHA256,
    issuer,
    validity: new Validity({ notBefore: new Date(nowMs - HOUR_MS), notAfter: new Date(nowMs + days * 24 * HOUR_MS) }),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(key.spki, SubjectPublicKeyInfo),
    extensions: new Extensions(extensions),
  });
  const signature = sign("sha256", Buffer.from(AsnConvert.serialize(tbsCertificate)), issuerKey);
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: ECDSA_SHA256,
    signatureValue: Uint8Array.from(signature).buffer,
  });
  return {
    certificate: pemOf(AsnConvert.serialize(certificate)),
    key: String(key.private.export({ type: "pkcs8", format: "pem" })),
  };
}

function newKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  return { private: privateKey, spki: Uint8Array.from(spki).buffer };
}

function extension(extnID: string, value: object, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function named(commonName: string): Name {
  const attribute = new AttributeTypeAndValue({
    type: COMMON_NAME,
    value: new AttributeValue({ utf8String: commonName }),
  });
  return new Name([new RelativeDistinguishedName([attribute])]);
}

function generalName(name: string): GeneralName {
  return new GeneralName(isIP(name) === 0 ? { dNSName: name } : { iPAddress: name });
}

function keyId(spki: ArrayBuffer): ArrayBuffer {
  return Uint8Array.from(createHash("sha256").update(Buffer.from(spki)).digest().subarray(0, 20)).buffer;
}

function derOf(pem: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ""), "base64"));
}

function pemOf(der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
