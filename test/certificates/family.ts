import { ecKey, type Issued, issue, rsaKey, type Wanted } from "./issue.ts";

export const CA = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"];
export const HOST = "shop.test";

/** Of the leaf of a web server, for these names (as openssl has them: `DNS:shop.test`). */
export const server = (...names: string[]): string[] => [
  "basicConstraints=critical,CA:FALSE",
  "keyUsage=critical,digitalSignature",
  "extendedKeyUsage=serverAuth",
  `subjectAltName=${names.join(",")}`,
];

/** What most of the table's certificates come from. `root` is trusted, the others are not. */
export interface Family {
  root: Issued;
  intermediate: Issued;
  stranger: Issued;
  leaf: (change?: Partial<Wanted>) => Promise<Issued>;
  authority: (name: string, change?: Partial<Wanted>) => Promise<Issued>;
}

export async function makeFamily(): Promise<Family> {
  const root = await issue({ subject: "/O=Vedette/CN=Test Root", extensions: CA, key: rsaKey() });
  const stranger = await issue({ subject: "/O=Elsewhere/CN=Unknown Root", extensions: CA, key: ecKey() });
  const authority: Family["authority"] = (name, change) =>
    issue({ subject: `/O=Vedette/CN=${name}`, extensions: CA, issuer: root, key: ecKey(), ...change });
  const intermediate = await authority("Test Intermediate", {
    extensions: [...CA, "subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid"],
  });
  const leaf: Family["leaf"] = (change) =>
    issue({ subject: `/CN=${HOST}`, extensions: server(`DNS:${HOST}`), issuer: intermediate, key: ecKey(), ...change });
  return { root, intermediate, stranger, leaf, authority };
}
