import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { certificatesOfPem } from "../../workers/prober/tls/pem.ts";
import { rootStore } from "../../workers/prober/tls/roots.ts";
import { type Certificate, parseCertificate } from "../../workers/prober/tls/verify/certificate.ts";
import { namesText } from "../../workers/prober/tls/verify/host-name.ts";
import { nameText } from "../../workers/prober/tls/verify/name.ts";
import { leafFault, pathFault } from "../../workers/prober/tls/verify/rules.ts";
import { makeVerifier, type Verify } from "../../workers/prober/tls/verify/verifier.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { CA, HOST, makeFamily, server } from "./family.ts";

let verify: Verify;
let chain: Uint8Array[];

function der(...pems: string[]): Uint8Array[] {
  const read = certificatesOfPem(pems.join("\n"));
  if ("fault" in read) throw new Error(read.fault);
  return read.certificates;
}

beforeAll(async () => {
  const { root, authority, leaf } = await makeFamily();
  const constrained = await authority("Constrained", {
    extensions: [
      ...CA,
      "nameConstraints=critical,permitted;DNS:test,excluded;IP:10.0.0.0/255.0.0.0,excluded;dirName:there",
      "subjectKeyIdentifier=hash",
    ],
    sections: "[there]\nO = Elsewhere",
  });
  const extensions = [
    ...server(`DNS:${HOST}`, "IP:192.0.2.1", "email:a@b.test", "dirName:here"),
    "authorityKeyIdentifier=keyid",
  ];
  const own = await leaf({ issuer: constrained, extensions, sections: "[here]\nO = Here" });
  verify = makeVerifier(rootStore(der(root.certificate)));
  chain = der(own.certificate, constrained.certificate);
});

/** One change of a certificate's octets: what, where (as a part of the whole), and with which value. */
const change = fc.record({
  how: fc.constantFrom("flip", "set", "cut", "insert", "drop", "repeat"),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  value: fc.integer({ min: 1, max: 255 }),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(octets: Uint8Array, { how, at, value }: Change): Uint8Array {
  const place = Math.trunc(at * octets.length);
  const [before, after] = [octets.slice(0, place), octets.slice(place)];
  switch (how) {
    case "flip":
      return Uint8Array.from([...before, (after[0] ?? 0) ^ value, ...after.slice(1)]);
    case "set":
      return Uint8Array.from([...before, value, ...after.slice(1)]);
    case "cut":
      return before;
    case "insert":
      return Uint8Array.from([...before, value, ...after]);
    case "drop":
      return Uint8Array.from([...before, ...after.slice(value)]);
    default:
      return Uint8Array.from([...before, ...after.slice(0, value), ...after]);
  }
}

/** Every copy that differs in one bit. */
function bitsFlipped(octets: Uint8Array): Uint8Array[] {
  return Array.from({ length: octets.length * 8 }, (_, bit) =>
    octets.with(bit >> 3, octets[bit >> 3]! ^ (1 << (bit & 7))),
  );
}

function readable(der: Uint8Array): Certificate | undefined {
  const read = parseCertificate(der);
  return "malformed" in read ? undefined : read;
}

const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;

describe("mutated certificates", () => {
  it("verify unchanged", () => {
    expect(verify(chain, HOST, Date.now()).fault).toBeUndefined();
  });

  it("never throw and never verify, whichever of the path is changed", () => {
    const property = fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), fc.boolean(), (changes, isLeaf) => {
      const place = isLeaf ? 0 : 1;
      const mutated = chain.map((one, index) => (index === place ? changes.reduce(changed, one) : one));
      fc.pre(!isSame(mutated[place]!, chain[place]!));
      const { fault } = verify(mutated, HOST, Date.now());
      return fault !== undefined && fault.message.length < 2_000;
    });
    fc.assert(property, { numRuns: propertyRuns(10_000) });
  });

  it("that can still be read keep or break the rules without a throw, with any bit flipped and whoever signed them", () => {
    const [own, constrained] = chain.map(readable) as [Certificate, Certificate];
    const mutated = chain.map((one) =>
      bitsFlipped(one)
        .map(readable)
        .filter((read) => read !== undefined),
    );
    for (const leaf of mutated[0]!) pathFault([leaf, constrained, constrained], Date.now());
    for (const above of mutated[1]!) pathFault([own, above, constrained], Date.now());
    for (const read of mutated.flat())
      expect(`${leafFault(read)?.message} ${namesText(read)} ${nameText(read.subject)}`).not.toMatch(/\p{Cc}/u);
    expect(mutated.flat().length).toBeGreaterThan(2_000);
  });

  it("with every single bit flipped never verify", () => {
    const accepted = bitsFlipped(chain[0]!)
      .map((leaf) => verify([leaf, chain[1]!], HOST, Date.now()).fault)
      .filter((fault) => fault === undefined);
    expect(accepted).toEqual([]);
  });

  it("of any octets are read without a throw, deep nesting included", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (octets) => "malformed" in parseCertificate(octets)));
    const nested = Uint8Array.from({ length: 60_000 }, (_, place) => (place % 2 === 0 ? 0x30 : 0x80));
    expect(parseCertificate(nested)).toHaveProperty("malformed");
  });

  it("sent by the dozen, all of one name, end the search soon", () => {
    const many = Array.from({ length: 60 }, (_, place) =>
      changed(chain[1]!, { how: "flip", at: 0.999, value: place + 1 }),
    );
    const startedAt = performance.now();
    expect(verify([chain[0]!, ...many], HOST, Date.now()).fault?.reason).toBe("CertificateUntrusted");
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});
