import type { SignedRequest } from "../../shared/signature.ts";
import type { ApiContext } from "./route.ts";

/** The headers of a Standard Webhooks signature. */
export function signedHeaders(context: ApiContext): Omit<SignedRequest, "body"> {
  return {
    webhookId: context.req.header("webhook-id"),
    webhookTimestamp: context.req.header("webhook-timestamp"),
    webhookSignature: context.req.header("webhook-signature"),
  };
}
