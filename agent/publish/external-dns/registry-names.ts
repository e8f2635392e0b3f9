import type { RecordType } from "../../../shared/model/endpoint.ts";

/** How external-dns names its registry records: its flags `--txt-prefix`, `--txt-suffix`, `--txt-wildcard-replacement`. */
export interface Affixes {
  prefix: string;
  suffix: string;
  wildcardReplacement: string;
}

const TYPE_TEMPLATE = "%{record_type}";

/** The name of the TXT record that says who owns a record set, as external-dns 0.12 and newer write it. */
export function registryName(dnsName: string, recordType: RecordType, affixes: Affixes): string {
  const type = recordType.toLowerCase();
  const isTyped = [affixes.prefix, affixes.suffix].some((affix) => affix.includes(TYPE_TEMPLATE));
  return affixed(dnsName, affixes, type, isTyped ? "" : `${type}-`);
}

/** The same as older releases wrote it, which said nothing of the type. Without prefix and suffix that is the name itself. */
export function oldRegistryName(dnsName: string, affixes: Affixes): string {
  return affixed(dnsName, affixes, "", "");
}

function affixed(
  dnsName: string,
  { prefix, suffix, wildcardReplacement }: Affixes,
  type: string,
  before: string,
): string {
  const [first = "", ...rest] = dnsName.toLowerCase().split(".");
  const label = first === "*" && wildcardReplacement !== "" ? wildcardReplacement.toLowerCase() : first;
  const of = (affix: string) => affix.toLowerCase().replaceAll(TYPE_TEMPLATE, type);
  return [`${of(prefix)}${before}${label}${of(suffix)}`, ...rest].join(".");
}
