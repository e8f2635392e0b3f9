import { z } from "zod";
import { canonicalAddress } from "./address.ts";
import { type CelRule, cel } from "./cel.ts";
import { canonicalHost, dnsName, isHostInCel, MAX_HOST_CHARACTERS } from "./host.ts";

export const MAX_TARGETS = 100;

const recordType = z.enum(["A", "AAAA", "CNAME"]);
export type RecordType = z.infer<typeof recordType>;

export const recordTTL = z.int().min(1).max(86_400);

const MAX_NOTES = 100;
const MAX_NOTE_CHARACTERS = 1024;

const labels = z
  .record(z.string(), z.string().max(MAX_NOTE_CHARACTERS))
  .refine((map) => Object.keys(map).length <= MAX_NOTES, { error: `must be at most ${MAX_NOTES} entries long` })
  .meta({ maxProperties: MAX_NOTES });

const shape = z.strictObject({
  dnsName: dnsName.describe("Owner of the record set; may start with *."),
  recordType: recordType.describe("Type of the record set."),
  recordTTL: recordTTL.default(60).describe("Seconds."),
  targets: z
    .array(z.string().max(MAX_HOST_CHARACTERS))
    .min(1)
    .max(MAX_TARGETS)
    .describe("Addresses (A, AAAA) or one host name (CNAME)."),
  setIdentifier: z.string().max(128).optional().describe("Tells record sets of one name and type apart."),
  labels: labels.optional().describe("Kept as they are."),
  providerSpecific: z
    .array(
      z.strictObject({
        name: z.string().max(128).describe("Name of the property."),
        value: z.string().max(MAX_NOTE_CHARACTERS).describe("Its value."),
      }),
    )
    .max(MAX_NOTES)
    .optional()
    .describe("Kept as they are; weight and geo-code say how the name is routed."),
});

const ONE_NAME_RULE = "must be one name in a CNAME";

const targetRule = (type: RecordType, rule: string, message: string): CelRule => ({
  rule: `self.recordType != '${type}' || ${rule}`,
  message,
  fieldPath: ".targets",
});

/**
 * The CEL rules that correspond to {@link canonicalTarget}. The API server's cost limit allows one look a rule for every target
 * of the largest record. `isIP` does not know all spellings of IPv6 that are taken.
 */
const TARGET_RULES: readonly CelRule[] = [
  targetRule("A", "self.targets.all(t, isIP(t))", "must be IPv4 addresses with recordType A"),
  targetRule("A", "self.targets.all(t, t.indexOf(':') < 0)", "must not be IPv6 addresses with recordType A"),
  targetRule("AAAA", "self.targets.all(t, t.indexOf(':') >= 0)", "must be IPv6 addresses with recordType AAAA"),
  targetRule("AAAA", "self.targets.all(t, t.indexOf('%') < 0)", "must be IPv6 addresses without a zone"),
  targetRule("CNAME", "size(self.targets) == 1", ONE_NAME_RULE),
  targetRule(
    "CNAME",
    `(${isHostInCel("self.targets[0]")})`,
    "must be a host name in a CNAME, not an address or a wildcard",
  ),
];

/**
 * One DNS record set in the shape that external-dns uses. After parsing, names and addresses are canonical; targets
 * keep the order and repetitions they were given in (a decision sorts them).
 */
export const endpoint = shape.meta(cel(...TARGET_RULES)).transform((value, context) => {
  if (value.recordType === "CNAME" && value.targets.length > 1) {
    context.addIssue({ code: "custom", message: ONE_NAME_RULE, path: ["targets"], input: value.targets });
  }
  const targets = value.targets.map((target, index) => {
    const result = canonicalTarget(value.recordType, target);
    if ("target" in result) return result.target;
    context.addIssue({ code: "custom", message: result.rule, path: ["targets", index], input: target });
    return target;
  });
  return { ...value, targets };
});
export type Endpoint = z.output<typeof endpoint>;

function canonicalTarget(type: RecordType, target: string): { target: string } | { rule: string } {
  if (type === "CNAME") {
    const result = canonicalHost(target);
    return "host" in result ? { target: result.host } : result;
  }
  const address = canonicalAddress(target);
  const isFit = address?.includes(":") === (type === "AAAA");
  return isFit && address !== undefined
    ? { target: address }
    : { rule: `must be an ${type === "A" ? "IPv4" : "IPv6"} address` };
}
