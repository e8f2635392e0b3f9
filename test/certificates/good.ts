import { type Case, good } from "./case.ts";
import { CA, type Family, server } from "./family.ts";
import { ecKey, ed25519Key, issue, rsaKey } from "./issue.ts";

const HOUR_MS = 3_600_000;

/** Chains that a browser accepts. */
export async function goodCases(family: Family): Promise<Case[]> {
  return (await Promise.all([algorithms(family), names(family), chains(family), crossSigned(family)])).flat();
}

async function algorithms({ root, intermediate, leaf, authority }: Family): Promise<Case[]> {
  const rsa = await authority("RSA Intermediate", { key: rsaKey() });
  const p384 = await authority("P-384 Intermediate", { key: ecKey("P-384"), digest: "sha512" });
  const p521 = await authority("P-521 Intermediate", { key: ecKey("P-521"), digest: "sha384" });
  const edRoot = await issue({ subject: "/CN=Ed25519 Root", extensions: CA, key: ed25519Key() });
  const pss = (hash: string, octets: number) => ({
    issuer: rsa,
    digest: hash,
    signing: ["rsa_padding_mode:pss", `rsa_pss_saltlen:${octets}`, `rsa_mgf1_md:${hash}`],
  });
  const oldRoot = await issue({ subject: "/CN=Old Root", extensions: CA, key: rsaKey(), digest: "sha1" });
  const firstVersion = await issue({ subject: "/CN=Version 1 Root", key: rsaKey() });
  return [
    good("ECDSA P-256", [await leaf(), intermediate]),
    good("RSA", [await leaf({ key: rsaKey(), issuer: rsa }), rsa]),
    good("RSA of 3072 bits, SHA-512", [await leaf({ key: rsaKey(3_072), issuer: rsa, digest: "sha512" }), rsa]),
    good("RSA-PSS SHA-256", [await leaf(pss("sha256", 32)), rsa]),
    good("RSA-PSS SHA-384", [await leaf(pss("sha384", 48)), rsa]),
    good("RSA-PSS SHA-512", [await leaf(pss("sha512", 64)), rsa]),
    good("ECDSA P-384", [await leaf({ key: ecKey("P-384"), issuer: p384, digest: "sha384" }), p384]),
    good("ECDSA P-521", [await leaf({ key: ecKey("P-521"), issuer: p521, digest: "sha512" }), p521]),
    good("Ed25519", [await leaf({ key: ed25519Key(), issuer: edRoot })], { roots: [edRoot] }),
    good("a leaf right under the root", [await leaf({ issuer: root })]),
    good("a root that signed itself with SHA-1", [await leaf({ issuer: oldRoot })], { roots: [oldRoot] }),
    good("a root of version 1", [await leaf({ issuer: firstVersion })], { roots: [firstVersion] }),
  ];
}

async function names({ intermediate, leaf, authority }: Family): Promise<Case[]> {
  const wildcard = [await leaf({ extensions: server("DNS:*.shop.test") }), intermediate];
  const addresses = [await leaf({ extensions: server("IP:192.0.2.7", "IP:2001:db8::7") }), intermediate];
  const mixed = [
    await leaf({ extensions: server("DNS:other.test", "DNS:SHOP.test"), subject: "/CN=else" }),
    intermediate,
  ];
  const narrow = await authority("Narrow", {
    extensions: [
      ...CA,
      "nameConstraints=critical,permitted;DNS:shop.test,permitted;IP:192.0.2.0/255.255.255.0,excluded;DNS:bad.shop.test",
    ],
  });
  const ofOrganisation = await authority("Of one organisation", {
    extensions: [...CA, "nameConstraints=critical,permitted;dirName:within"],
    sections: "[within]\nO = SHOP  ltd",
  });
  return [
    good("a wildcard", wildcard, { host: "eu.shop.test" }),
    good("an IPv4 address", addresses, { host: "192.0.2.7" }),
    good("an IPv6 address in another spelling", addresses, { host: "2001:0db8:0::7" }),
    good("a name in capitals, and not the first", mixed),
    good("a host with a final dot and capitals", mixed, { host: "Shop.Test." }),
    good("no subject at all", [await leaf({ subject: "/" }), intermediate]),
    good(
      "name constraints kept",
      [await leaf({ issuer: narrow, extensions: server("DNS:eu.shop.test", "IP:192.0.2.7") }), narrow],
      {
        host: "eu.shop.test",
      },
    ),
    good("a directory name within its constraint", [
      await leaf({ issuer: ofOrganisation, subject: "/O=Shop Ltd/CN=x" }),
      ofOrganisation,
    ]),
  ];
}

async function chains({ root, intermediate, stranger, leaf, authority }: Family): Promise<Case[]> {
  const plain = await leaf();
  const deep = await authority("Deep", {
    issuer: intermediate,
    extensions: [...CA.slice(1), "basicConstraints=CA:TRUE,pathlen:0"],
  });
  const namesake = await authority("Test Intermediate", { issuer: stranger });
  const anyUsage = await authority("Any Usage", { extensions: [...CA, "extendedKeyUsage=anyExtendedKeyUsage"] });
  const own = await issue({ subject: "/CN=own", extensions: server("DNS:shop.test"), key: ecKey() });
  const justMade = await leaf({ startMs: Date.now() + 30_000 });
  const alternative = await expiredAndRenewed(authority);
  return [
    good("the root sent along", [plain, intermediate, root]),
    good("any order, duplicates and strangers", [
      await leaf({ issuer: deep }),
      root,
      stranger,
      deep,
      plain,
      intermediate,
      deep,
    ]),
    good("another intermediate of the same name first", [plain, namesake, intermediate]),
    good("an authority for any usage", [await leaf({ issuer: anyUsage }), anyUsage]),
    good("a single self-signed certificate that is trusted", [own], { roots: [own] }),
    good("a clock that is half a minute ahead of ours", [justMade, intermediate]),
    good("an expired intermediate beside its renewal", [
      await leaf({ issuer: alternative.renewed }),
      alternative.expired,
      alternative.renewed,
    ]),
    good("an intermediate that is itself trusted", [await leaf({ issuer: stranger })], { roots: [stranger] }),
  ];
}

async function expiredAndRenewed(authority: Family["authority"]) {
  const key = ecKey();
  const expired = await authority("Renewed", { key, startMs: Date.now() - 9 * HOUR_MS, endMs: Date.now() - HOUR_MS });
  return { expired, renewed: await authority("Renewed", { key }) };
}

async function crossSigned({ root, stranger, leaf, authority }: Family): Promise<Case[]> {
  const key = rsaKey();
  const subject = "/O=Vedette/CN=New Root";
  const newRoot = await issue({ subject, key, extensions: CA });
  const byRoot = await issue({ subject, key, extensions: CA, issuer: root });
  const expired = await issue({
    subject,
    key,
    extensions: CA,
    issuer: stranger,
    startMs: 0,
    endMs: Date.now() - HOUR_MS,
  });
  const below = await authority("Below New Root", { issuer: newRoot });
  const chain = [await leaf({ issuer: below }), below];
  return [
    good("a new root that a trusted one has signed", [...chain, newRoot, expired, byRoot]),
    good("a trusted root with an expired cross-certificate", [...chain, expired], { roots: [newRoot] }),
  ];
}
