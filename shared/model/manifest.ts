import { z } from "zod";
import { objectName, recordSpec } from "./record.ts";

export const API_VERSION = "vedette.dev/v1alpha1";

/** Kubernetes object metadata: unknown fields are Kubernetes' own and pass. */
export const metadata = z.looseObject({
  name: objectName,
  namespace: objectName.default("default"),
  uid: z.string().optional(),
  generation: z.int().nonnegative().optional(),
});

/** A `DNSRecord` as a file or the API server holds it. */
export const recordManifest = z.strictObject({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal("DNSRecord"),
  metadata,
  spec: recordSpec,
  status: z.unknown().optional(),
});

/** A Kubernetes `Secret`, whose keys are header names for `additionalHeadersRef`. */
export const secretManifest = z.looseObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("Secret"),
  metadata,
  data: z.record(z.string(), z.base64()).optional(),
  stringData: z.record(z.string(), z.string()).optional(),
});
