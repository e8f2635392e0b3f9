import { bad, type Case } from "./case.ts";
import { CA, type Family, server } from "./family.ts";
import { ecKey, type Issued, issue, rsaKey } from "./issue.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Chains of which each must be refused, and why. */
export async function badCases(family: Family): Promise<Case[]> {
  const groups = [times, names, untrusted, authorities, constraints, algorithms, usages];
  return (await Promise.all(groups.map((group) => group(family)))).flat();
}

async function times({ intermediate, leaf, authority }: Family): Promise<Case[]> {
  const past = { startMs: Date.now() - 9 * HOUR_MS, endMs: Date.now() - 2 * HOUR_MS };
  const ahead = { startMs: Date.now() + 10 * MINUTE_MS };
  const pastCa = await authority("Past", past);
  const futureCa = await authority("Future", ahead);
  const pastRoot = await issue({ subject: "/CN=Past Root", extensions: CA, key: ecKey(), ...past });
  return [
    bad("expired two hours ago", "CertificateExpired", utc(past.endMs), [await leaf(past), intermediate]),
    bad("valid in ten minutes", "CertificateNotYetValid", utc(ahead.startMs), [await leaf(ahead), intermediate]),
    bad("intermediate expired", "CertificateExpired", 'intermediate certificate "CN=Past, O=Vedette"', [
      await leaf({ issuer: pastCa }),
      pastCa,
    ]),
    bad("intermediate not yet valid", "CertificateNotYetValid", "CN=Future", [
      await leaf({ issuer: futureCa }),
      futureCa,
    ]),
    bad(
      "trusted root expired",
      "CertificateExpired",
      'root certificate "CN=Past Root"',
      [await leaf({ issuer: pastRoot })],
      { roots: [pastRoot] },
    ),
    bad("expired, self-signed and of another host", "CertificateNameMismatch", "besides, the certificate expired", [
      await issue({ subject: "/CN=x", extensions: server("DNS:x.test"), key: ecKey(), ...past }),
    ]),
  ];
}

const utc = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

async function names({ intermediate, leaf }: Family): Promise<Case[]> {
  const wrong = async (title: string, names: string[], host?: string) =>
    bad(
      title,
      "CertificateNameMismatch",
      names[0]?.replace(/.*?:/, "") ?? "",
      [await leaf({ extensions: server(...names) }), intermediate],
      host ? { host } : {},
    );
  const nameless = await leaf({ extensions: server("DNS:x").slice(0, 3) });
  return [
    await wrong("another name", ["DNS:other.test"]),
    await wrong("a wildcard two labels up", ["DNS:*.test.example"], "a.b.test.example"),
    await wrong("a wildcard for its own base", ["DNS:*.shop.test"]),
    await wrong("a wildcard right under a top-level name", ["DNS:*.test"]),
    await wrong("a wildcard that is part of a label", ["DNS:s*.shop.test"], "sx.shop.test"),
    await wrong("a wildcard that is not left-most", ["DNS:a.*.test"], "a.shop.test"),
    await wrong("an address as a name", ["DNS:192.0.2.7"], "192.0.2.7"),
    await wrong("another address", ["IP:192.0.2.8"], "192.0.2.7"),
    await wrong("a name that goes on", ["DNS:shop.test.evil.test"]),
    bad("only a common name", "CertificateNameMismatch", "no name at all", [nameless, intermediate]),
  ];
}

/** Eleven authorities, one under the other. */
async function ladder({ root, authority }: Family): Promise<Issued[]> {
  const rungs = [root];
  for (let rung = 1; rung <= 11; rung += 1)
    rungs.unshift(await authority(`Rung ${rung}`, { issuer: rungs[0] as Issued }));
  return rungs;
}

async function untrusted(family: Family): Promise<Case[]> {
  const { root, stranger, intermediate, leaf, authority } = family;
  const rungs = await ladder(family);
  const foreign = await authority("Foreign", { issuer: stranger });
  const impostor = await issue({ subject: "/O=Vedette/CN=Test Root", extensions: CA, key: ecKey() });
  const self = await issue({ subject: "/CN=shop", extensions: server("DNS:shop.test"), key: ecKey() });
  const between = await authority("Between", { issuer: intermediate });
  const chain = [await leaf({ issuer: foreign }), foreign];
  const of = (title: string, says: string, chain: Issued[]) => bad(title, "CertificateUntrusted", says, chain);
  return [
    of("self-signed", "self-signed", [self]),
    of("a chain of eleven intermediates", "too long to follow", [await leaf({ issuer: rungs[0] as Issued }), ...rungs]),
    of("unknown issuer", 'issued by "CN=Unknown Root, O=Elsewhere"', chain),
    of("unknown issuer that is sent along", 'ends at the root "CN=Unknown Root', [...chain, stranger]),
    of("missing intermediate", "intermediate certificate may be missing", [await leaf()]),
    of("missing intermediate, though the root is sent", '"CN=Test Intermediate, O=Vedette"', [await leaf(), root]),
    of("missing intermediate in the middle", "CN=Between", [await leaf({ issuer: between }), between]),
    of("an issuer of a trusted name with another key", "has another key", [await leaf({ issuer: impostor })]),
    of("the same, with the impostor sent along", "has another key", [await leaf({ issuer: impostor }), impostor]),
  ];
}

async function authorities({ root, intermediate, leaf, authority }: Family): Promise<Case[]> {
  const of = async (title: string, says: string, issuers: Issued[]) =>
    bad(title, "CertificateInvalid", says, [await leaf({ issuer: issuers[0] as Issued }), ...issuers]);
  const zero = await authority("Zero", { extensions: [...CA.slice(1), "basicConstraints=critical,CA:TRUE,pathlen:0"] });
  const limitedRoot = await issue({
    subject: "/CN=Zero Root",
    key: ecKey(),
    extensions: ["basicConstraints=CA:TRUE,pathlen:0"],
  });
  const belowRoot = await authority("Below Zero Root", { issuer: limitedRoot });
  return [
    await of("intermediate without CA flag", "is no certificate authority", [
      await authority("Not CA", { extensions: server("DNS:x.test") }),
    ]),
    await of("intermediate without basic constraints", "is no certificate authority", [
      await authority("None", { extensions: CA.slice(1) }),
    ]),
    await of("intermediate of version 1", "is no certificate authority", [
      await authority("Version 1", { extensions: [] }),
    ]),
    await of("a leaf as authority", "is no certificate authority", [await leaf(), intermediate]),
    await of("path too long", "allows 0 intermediate", [await authority("Below Zero", { issuer: zero }), zero]),
    bad(
      "path too long for the root",
      "CertificateInvalid",
      "path length",
      [await leaf({ issuer: belowRoot }), belowRoot],
      { roots: [limitedRoot] },
    ),
    await of("intermediate may not sign", "may not sign certificates (", [
      await authority("Mute", { extensions: ["basicConstraints=CA:TRUE", "keyUsage=digitalSignature"] }),
    ]),
    await of("intermediate for mail only", "extended key usage", [
      await authority("Mail", { extensions: [...CA, "extendedKeyUsage=emailProtection"] }),
    ]),
    await of("unknown critical extension above", "1.2.3.4", [
      await authority("Odd", { extensions: [...CA, "1.2.3.4=critical,DER:0500"] }),
    ]),
    await of("policy needed", "2.5.29.36", [
      await authority("Policy", { extensions: [...CA, "policyConstraints=critical,requireExplicitPolicy:0"] }),
    ]),
    await of("weak intermediate", "1024 bits", [await authority("Weak", { key: rsaKey(1_024) })]),
    await of("intermediate signed with SHA-1", "SHA-1", [await authority("Old", { digest: "sha1" }), root]),
  ];
}

async function constraints({ leaf, authority }: Family): Promise<Case[]> {
  const under = async (title: string, constraint: string, names: string[], subject = "/") => {
    const extensions = [...CA, `nameConstraints=critical,${constraint}`];
    const issuer = await authority(title, { extensions, sections: "[there]\nO = Elsewhere" });
    const chain = [await leaf({ issuer, subject, extensions: server("DNS:shop.test", ...names) }), issuer];
    return bad(`name constraints: ${title}`, "CertificateInvalid", "name constraints", chain);
  };
  return [
    await under("not permitted", "permitted;DNS:other.test", []),
    await under("excluded", "excluded;DNS:test", []),
    await under("one name of two", "permitted;DNS:shop.test", ["DNS:other.test"]),
    await under("no part of a label", "permitted;DNS:hop.test", []),
    await under("only below", "permitted;DNS:.shop.test", []),
    await under("wildcard over an excluded name", "excluded;DNS:bad.eu.test", ["DNS:*.eu.test"]),
    await under("address not permitted", "permitted;IP:192.0.2.0/255.255.255.0", ["IP:198.51.100.1"]),
    await under("address of the other family", "permitted;IP:192.0.2.0/255.255.255.0", ["IP:2001:db8::1"]),
    await under("address excluded", "excluded;IP:192.0.2.0/255.255.255.0", ["IP:192.0.2.9"]),
    await under("directory not permitted", "permitted;dirName:there", [], "/O=Here"),
    await under("directory excluded in other letters", "excluded;dirName:there", [], "/O=elseWHERE/CN=x"),
    await under("kind that is not compared", "permitted;email:shop.test", ["email:a@shop.test"]),
  ];
}

async function algorithms({ root, intermediate, leaf, authority }: Family): Promise<Case[]> {
  const rsa = await authority("RSA for old ways", { key: rsaKey() });
  const of = async (title: string, says: string, change: Parameters<Family["leaf"]>[0]) =>
    bad(title, "CertificateInvalid", says, [await leaf(change), intermediate, rsa]);
  const pss = (...signing: string[]) => ({ issuer: rsa, signing: ["rsa_padding_mode:pss", ...signing] });
  return [
    await of("MD5 signature", "MD5", { issuer: rsa, digest: "md5" }),
    await of("SHA-1 signature", "SHA-1", { issuer: rsa, digest: "sha1" }),
    await of("SHA-1 signature by the root", "SHA-1", { issuer: root, digest: "sha1" }),
    await of("ECDSA with SHA-1", "SHA-1", { digest: "sha1" }),
    await of("SHA-224 signature", "SHA-224", { issuer: rsa, digest: "sha224" }),
    await of("RSA-PSS with SHA-1", "RSA-PSS", { ...pss("rsa_pss_saltlen:20"), digest: "sha1" }),
    await of("RSA-PSS with two hashes", "RSA-PSS", pss("rsa_mgf1_md:sha512", "rsa_pss_saltlen:32")),
    await of("RSA of 512 bits", "512 bits", { key: rsaKey(512) }),
    await of("RSA of 1024 bits", "1024 bits", { key: rsaKey(1_024) }),
    await of("another curve", "curve other than", { key: ecKey("secp256k1") }),
  ];
}

async function usages({ intermediate, leaf }: Family): Promise<Case[]> {
  const of = async (title: string, says: string, ...change: string[]) => {
    const names = change.map((line) => line.split("=")[0]);
    const kept = server("DNS:shop.test").filter((line) => !names.includes(line.split("=")[0]));
    return bad(title, "CertificateInvalid", says, [await leaf({ extensions: [...kept, ...change] }), intermediate]);
  };
  return [
    await of("for clients only", "lacks serverAuth", "extendedKeyUsage=clientAuth"),
    await of("for any usage, which is no leaf's to say", "lacks serverAuth", "extendedKeyUsage=anyExtendedKeyUsage"),
    await of("for key encipherment only", "digital signatures", "keyUsage=keyEncipherment"),
    await of("unknown critical extension", "1.2.3.4", "1.2.3.4=critical,DER:0500"),
    await of(
      "a certificate that is only to be logged",
      "1.3.6.1.4.1.11129.2.4.3",
      "1.3.6.1.4.1.11129.2.4.3=critical,DER:0500",
    ),
  ];
}
