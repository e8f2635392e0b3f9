import { type Certificate, isSelfIssued } from "./certificate.ts";
import { readDer } from "./der.ts";
import type { NameConstraints } from "./extensions.ts";
import { comparableName, type GeneralName } from "./name.ts";

/**
 * Why a certificate below an authority breaks that authority's name constraints, as text (RFC 5280 §4.2.1.10, §6.1.3 b and c);
 * undefined when it keeps them. Names of kinds that cannot be compared here break any constraint on their kind.
 */
export function constraintFault(
  { permitted, excluded }: NameConstraints,
  certificate: Certificate,
  isLeaf: boolean,
): string | undefined {
  if (isSelfIssued(certificate) && !isLeaf) return undefined;
  for (const name of namesOf(certificate)) {
    const allowed = permitted.filter((base) => isSameKind(base, name));
    if (allowed.length > 0 && !allowed.some((base) => isWithin(base, name)))
      return `${what(name)} is not a permitted one`;
    if (excluded.some((base) => isSameKind(base, name) && mayMeet(base, name)))
      return `${what(name)} is an excluded one`;
  }
  return undefined;
}

function namesOf({ extensions, subject }: Certificate): GeneralName[] {
  const directory = readDer(subject);
  const names = extensions.subjectNames ?? [];
  return directory.content.length === 0 ? names : [{ kind: "directory", name: directory }, ...names];
}

function isSameKind(base: GeneralName, name: GeneralName): boolean {
  if (base.kind === "other" && name.kind === "other") return base.number === name.number;
  return base.kind === name.kind;
}

function isWithin(base: GeneralName, name: GeneralName): boolean {
  if (base.kind === "dns" && name.kind === "dns") return isDomainWithin(base.name, name.name.replace(/^\*\./, ""));
  if (base.kind === "ip" && name.kind === "ip") return isAddressWithin(base.octets, name.octets);
  if (base.kind !== "directory" || name.kind !== "directory") return false;
  const above = comparableName(base.name);
  const below = comparableName(name.name);
  return above.every((part, index) => part === below[index]);
}

/** As isWithin, but in doubt yes: a wildcard meets what it may stand for, and what cannot be compared meets all. */
function mayMeet(base: GeneralName, name: GeneralName): boolean {
  if (base.kind === "other") return true;
  if (base.kind === "dns" && name.kind === "dns" && name.name.startsWith("*."))
    return isWithin(base, name) || isDomainWithin(name.name.slice(2), base.name.replace(/^\./, ""));
  return isWithin(base, name);
}

/** An empty base is every domain; one that begins with a dot only what is below it, as Firefox reads it. */
function isDomainWithin(base: string, name: string): boolean {
  if (base === "" || name === base) return true;
  return name.endsWith(base.startsWith(".") ? base : `.${base}`);
}

/** The base is an address and a mask, each as long as the address (RFC 5280 §4.2.1.10). */
function isAddressWithin(base: Uint8Array, address: Uint8Array): boolean {
  const { length } = address;
  if (base.length !== 2 * length) return false;
  return address.every((octet, index) => ((octet ^ (base[index] ?? 0)) & (base[length + index] ?? 0)) === 0);
}

function what(name: GeneralName): string {
  if (name.kind === "dns") return `the name ${JSON.stringify(name.name.slice(0, 80))}`;
  return { ip: "an address", directory: "the subject", other: "a name" }[name.kind];
}
