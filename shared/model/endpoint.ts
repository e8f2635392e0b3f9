import { z } from "zod";
import { canonicalAddress } from "./address.ts";
import { canonicalHost, dnsName } from "./host.ts";

export const MAX_TARGETS = 100;

const recordType = z.enum(["A", "AAAA", "CNAME"]);
export type RecordType = z.infer<typeof recordType>;

export const recordTTL = z.int().min(1).max(86_400);

const shape = z.strictObject({
  dnsName: dnsName.describe("Owner of the record set; may start with *."),
  recordType: recordType.describe("Type of the record set."),
  recordTTL: recordTTL.default(60).describe("Seconds."),
  targets: z.array(z.string()).min(1).max(MAX_TARGETS).describe("Addresses (A, AAAA) or one host name (CNAME)."),
  setIdentifier: z.string().max(128).optional().describe("Tells record sets of one name and type apart."),
  labels: z.record(z.string(), z.string()).optional().describe("Kept as they are."),
  providerSpecific: z
    .array(z.strictObject({ name: z.string().max(128), value: z.string().max(1024) }))
    .optional()
    .describe("Kept as they are; weight and geo-code say how the name is routed."),
});

/**
 * One DNS record set in the shape that external-dns uses. After parsing, names and addresses are canonical; targets
 * keep the order and repetitions they were given in (a decision sorts them).
 */
export const endpoint = shape.transform((value, context) => ({
  ...value,
  targets: value.targets.map((target, index) => {
    const result = canonicalTarget(value.recordType, target);
    if ("target" in result) return result.target;
    context.addIssue({ code: "custom", message: result.rule, path: ["targets", index], input: target });
    return target;
  }),
}));
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
