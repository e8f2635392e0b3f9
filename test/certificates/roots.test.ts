import { X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { AsnConvert } from "@peculiar/asn1-schema";
import { id_ce_basicConstraints, Certificate as Reference } from "@peculiar/asn1-x509";
import { describe, expect, it } from "vitest";
import { rootStore } from "../../workers/prober/tls/roots.ts";
import { type Certificate, parseCertificate } from "../../workers/prober/tls/verify/certificate.ts";
import { pathFault } from "../../workers/prober/tls/verify/rules.ts";
import { isSignedBy } from "../../workers/prober/tls/verify/signature.ts";

const ders = rootCertificates.map((pem) => Uint8Array.from(new X509Certificate(pem).raw));

function read(der: Uint8Array): Certificate {
  const certificate = parseCertificate(der);
  if ("malformed" in certificate) throw new Error(certificate.malformed);
  return certificate;
}

describe("Mozilla's roots", () => {
  it("are each found by their subject", () => {
    const store = rootStore();
    for (const der of ders) expect(store.find(read(der).subject).map((one) => [...one.der])).toContainEqual([...der]);
  });

  it("break no rule that an anchor has to keep", () => {
    const nowMs = Date.now();
    const faults = ders.map(read).map((root) => pathFault([root, root], Math.min(nowMs, root.notAfterMs)));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it("signed themselves, wherever that is with an algorithm that is accepted", () => {
    const strong = ders.map(read).filter(({ algorithm }) => algorithm.kind !== "refused");
    expect(strong.length).toBeGreaterThan(80);
    expect(strong.filter((root) => !isSignedBy(root, root))).toEqual([]);
  });

  it("are read as @peculiar/asn1-x509 and Node read them", () => {
    for (const der of ders) {
      const mine = read(der);
      const { tbsCertificate, tbsCertificateRaw } = AsnConvert.parse(der, Reference);
      const node = new X509Certificate(der);
      expect(mine.signed).toEqual(new Uint8Array(tbsCertificateRaw ?? new ArrayBuffer()));
      expect(mine.subject).toEqual(new Uint8Array(AsnConvert.serialize(tbsCertificate.subject)));
      expect(mine.notBeforeMs).toBe(tbsCertificate.validity.notBefore.getTime().getTime());
      expect(mine.notAfterMs).toBe(Date.parse(node.validTo));
      expect(mine.spki).toEqual(Uint8Array.from(node.publicKey.export({ type: "spki", format: "der" })));
      expect(mine.extensions.basicConstraints?.ca ?? false).toBe(node.ca);
      const constrained = tbsCertificate.extensions?.some(({ extnID }) => extnID === id_ce_basicConstraints) ?? false;
      expect(mine.extensions.basicConstraints !== undefined).toBe(constrained);
    }
  });
});
