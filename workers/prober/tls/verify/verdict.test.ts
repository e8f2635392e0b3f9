import { describe, expect, inject, it } from "vitest";
import { certificatesOfPem } from "../pem.ts";
import { rootStore } from "../roots.ts";
import { parseCertificate } from "./certificate.ts";
import { makeVerifier } from "./verifier.ts";

const { root, good, madeAtMs } = inject("certificates");
const HOUR_MS = 3_600_000;

function der(...pems: string[]): Uint8Array[] {
  const read = certificatesOfPem(pems.join("\n"));
  if ("fault" in read) throw new Error(read.fault);
  return read.certificates;
}

const verify = makeVerifier(rootStore(der(root)));
const chainOf = (title: string) => der(...(good.find((one) => one.title === title)?.chain ?? []));
const plain = chainOf("ECDSA P-256");
const endOf = (certificate: Uint8Array | undefined): number => {
  const read = parseCertificate(certificate ?? new Uint8Array());
  if ("malformed" in read) throw new Error(read.malformed);
  return read.notAfterMs;
};

describe("the verdict", () => {
  it("carries the leaf's key and end, and the earliest end in the path that verified", () => {
    const ends = [...plain, ...der(root)].map(endOf);
    const verdict = verify(plain, "shop.test", madeAtMs);
    expect(verdict.expiresAt).toBe(Math.min(...ends));
    expect(verdict.leaf?.notAfter).toBe(ends[0]);
    expect(verdict.leaf?.publicKey.asymmetricKeyType).toBe("ec");
  });

  it("does not count certificates that are not in the path", () => {
    const { expiresAt, fault } = verify(chainOf("an expired intermediate beside its renewal"), "shop.test", madeAtMs);
    expect(fault).toBeUndefined();
    expect(expiresAt).toBeGreaterThan(madeAtMs + 20 * HOUR_MS);
  });

  it("carries key and end also where a fault is found, for a probe that goes on all the same", () => {
    const { leaf, expiresAt, fault } = verify(plain, "other.test", madeAtMs);
    expect(fault?.reason).toBe("CertificateNameMismatch");
    expect(leaf?.notAfter).toBe(endOf(plain[0]));
    expect(expiresAt).toBeDefined();
  });

  it("holds to the second at both ends", () => {
    const end = endOf(plain[0]);
    const reasonAt = (ms: number) => verify(plain, "shop.test", ms).fault?.reason;
    expect(reasonAt(Math.min(...[...plain, ...der(root)].map(endOf)))).toBeUndefined();
    expect(reasonAt(end + 1_000)).toBe("CertificateExpired");
    expect(reasonAt(madeAtMs - HOUR_MS - 300_000)).toBe("CertificateNotYetValid");
  });

  it.each([
    ["no certificate", [], "sent no certificate"],
    ["an empty one", [new Uint8Array()], "is malformed"],
    ["one with octets after it", [new Uint8Array([...(plain[0] ?? []), 0])], "is malformed"],
    [
      "a malformed intermediate",
      [plain[0] as Uint8Array, new Uint8Array([0x30, 0x80, 0, 0])],
      "sent with the server's",
    ],
  ])("is CertificateInvalid for %s", (_, chain, says) => {
    const { fault } = verify(chain, "shop.test", madeAtMs);
    expect(fault).toEqual({ reason: "CertificateInvalid", message: expect.stringContaining(says) });
  });

  it("is a fault wherever an octet of the leaf or the intermediate is changed, also with this runtime's cryptography", () => {
    const accepted = plain.flatMap((certificate, place) =>
      [...certificate.keys()].filter((at) => {
        const mutated = certificate.with(at, (certificate[at] ?? 0) ^ 0x55);
        return verify(plain.with(place, mutated), "shop.test", madeAtMs).fault === undefined;
      }),
    );
    expect(accepted).toEqual([]);
  });

  it("is not in the way of a path that a malformed certificate is sent along", () => {
    expect(verify([...plain, new Uint8Array([1, 2, 3])], "shop.test", madeAtMs).fault).toBeUndefined();
  });
});
