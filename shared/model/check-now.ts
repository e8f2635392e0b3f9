import { z } from "zod";
import { healthCheckFields } from "./health-check-fields.ts";
import { observation } from "./observation.ts";
import { region } from "./region.ts";

const { timeout, expectedStatuses, regions } = healthCheckFields.shape;

/** One check now, of one address, from some regions: what `POST /v1/checks` takes. Its rules are those of a health check. */
export const checkRequest = z.strictObject({
  url: z
    .url()
    .max(2048)
    .describe("http(s): its host is the Host header, the server name (SNI) and the name in the certificate."),
  address: z.string().max(253).describe("An address, or a host name that is resolved: where the connection goes."),
  regions: regions.unwrap().describe("Where to check from, each once."),
  timeout: timeout.unwrap().default("5s").describe("Of the whole check, 100ms to 30s."),
  expectedStatuses: expectedStatuses.unwrap().default(["200-299"]),
  allowInsecureCertificate: z.boolean().default(false),
});
export type CheckRequest = z.output<typeof checkRequest>;

const checkFromRegion = z.strictObject({
  region,
  colo: z.string().optional().describe("The data centre that the prober really ran in."),
  outcome: z.enum(["ok", "failed", "indeterminate"]),
  observation: observation.optional().describe("Absent where the prober could not be reached."),
});
export type CheckFromRegion = z.infer<typeof checkFromRegion>;

export const checkAnswer = z.strictObject({ results: z.array(checkFromRegion) });
export type CheckAnswer = z.infer<typeof checkAnswer>;
