import { describe, expect, inject, it } from "vitest";
import type { Case } from "../../../../test/certificates/case.ts";
import { certificatesOfPem } from "../pem.ts";
import { rootStore } from "../roots.ts";
import { makeVerifier } from "./verifier.ts";

// Judged as of when they were made: a long run must not make valid what is valid in ten minutes.
const { root, good, bad, madeAtMs } = inject("certificates");

function der(pems: string[]): Uint8Array[] {
  const read = certificatesOfPem(pems.join("\n"));
  if ("fault" in read) throw new Error(read.fault);
  return read.certificates;
}

const verdictOf = ({ chain, host, roots }: Case) =>
  makeVerifier(rootStore(der([root, ...roots])))(der(chain), host, madeAtMs);

describe("certificates that browsers accept", () => {
  it.each(good)("$title", (one) => {
    const verdict = verdictOf(one);
    expect(verdict.fault).toBeUndefined();
    expect(verdict.leaf?.publicKey.type).toBe("public");
  });

  it.each(good)("is refused when nothing is trusted but Mozilla's roots: $title", ({ chain, host }) => {
    expect(makeVerifier(rootStore())(der(chain), host, madeAtMs).fault?.reason).toBe("CertificateUntrusted");
  });
});

describe("certificates that are refused", () => {
  it.each(bad)("$title: $fault.reason", (one) => {
    const { fault } = verdictOf(one);
    expect(fault?.reason).toBe(one.fault?.reason);
    expect(fault?.message).toContain(one.fault?.says);
  });
});
