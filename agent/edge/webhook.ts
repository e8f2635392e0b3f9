import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Acknowledgement } from "../../shared/model/messages/delivery.ts";
import type { Problem } from "../../shared/model/problem.ts";
import { type SignedRequest, signatureFault } from "../../shared/signature.ts";
import type { Applied } from "../controller.ts";

/** Enough for every record of a cluster with all its probes from eleven regions. */
const MAX_DELIVERY_BYTES = 32 * 1024 * 1024;
/** Only the largest fleets have larger deliveries. Of these two are accepted at a time. */
const LARGE_BYTES = 1024 * 1024;
const LARGE_AT_ONCE = 2;
const RETRY_AFTER_SECONDS = "5";

export interface WebhookOptions {
  /** Any of these secrets may have signed. Undefined in pull mode. */
  secrets: readonly string[] | undefined;
  /** Whether deliveries can be applied. It reads a flag and never waits. */
  isReady: () => boolean;
  apply: (json: unknown) => Promise<Applied>;
  /**
   * Forwards a delivery unchanged to the leader and returns the leader's response. Returns undefined if this replica is
   * the leader.
   */
  forward?: (delivery: SignedDelivery) => Promise<Response> | undefined;
  /** Called for a delivery without a valid signature, or before the records are read. */
  onRejected?: (why: "unsigned" | "not_ready") => void;
  /** Unix ms */
  now: () => number;
}

/** A delivery with a valid signature, unchanged. */
export interface SignedDelivery {
  headers: { "webhook-id": string; "webhook-timestamp": string; "webhook-signature": string };
  body: string;
  /** Whether another replica has forwarded it. */
  wasForwarded: boolean;
}

/** Marks a forwarded delivery, so that it is forwarded only once. */
export const FORWARDED_HEADER = "vedette-handed-on";

/** `POST /v1/delivery` for the edge; `/healthz` and `/readyz` for the operator of the agent. */
export function makeWebhook(options: WebhookOptions): Hono {
  const app = new Hono();
  app.get("/healthz", (context) => context.text("ok\n"));
  app.get("/readyz", (context) => (options.isReady() ? context.text("ok\n") : context.text("not ready\n", 503)));
  const { secrets } = options;
  if (secrets !== undefined) {
    const onError = () => refuse(413, "DeliveryTooLarge", `At most ${MAX_DELIVERY_BYTES} bytes are taken.`);
    const onFull = () => retryLater("Busy", "Other large deliveries are being read.");
    app.use("/v1/delivery", limitLargeBodies(LARGE_BYTES, LARGE_AT_ONCE, onFull));
    app.post("/v1/delivery", bodyLimit({ maxSize: MAX_DELIVERY_BYTES, onError }), async ({ req }) => {
      // Not text(): that drops a byte order mark, and the signature is over every byte.
      const text = Buffer.from(await req.arrayBuffer()).toString("utf8");
      const signed = {
        webhookId: req.header("webhook-id"),
        webhookTimestamp: req.header("webhook-timestamp"),
        webhookSignature: req.header("webhook-signature"),
        body: text,
      };
      const fault = signatureFault(signed, secrets, options.now());
      if (fault !== undefined) {
        options.onRejected?.("unsigned");
        return refuse(401, fault, "The delivery is not signed as Standard Webhooks asks.");
      }
      const delivery = asSigned(signed, req.header(FORWARDED_HEADER) !== undefined);
      return options.forward?.(delivery) ?? deliver(options, text);
    });
  }
  app.notFound(() => refuse(404, "NotFound", "There are POST /v1/delivery, GET /healthz and GET /readyz."));
  app.onError(() => refuse(500, "InternalError", "The agent's log says more."));
  return app;
}

function asSigned(request: SignedRequest, wasForwarded: boolean): SignedDelivery {
  const { webhookId = "", webhookTimestamp = "", webhookSignature = "", body } = request;
  return {
    headers: { "webhook-id": webhookId, "webhook-timestamp": webhookTimestamp, "webhook-signature": webhookSignature },
    body,
    wasForwarded,
  };
}

/** Acknowledges only what is stored and in DNS; until the manifests are read, the edge is asked to come again. */
async function deliver({ isReady, apply, onRejected }: WebhookOptions, text: string): Promise<Response> {
  if (!isReady()) {
    onRejected?.("not_ready");
    return retryLater("NotReady", "The records have not been read yet.");
  }
  const json = parseJson(text);
  if (json === undefined) return refuse(400, "DeliveryMalformed", "The body is no JSON.");
  const applied = await apply(json);
  switch (applied.kind) {
    case "Applied":
      return acknowledge(applied);
    case "Refused":
      return refuse(422, "DeliveryRefused", applied.message);
    case "NotStored":
      return retryLater(
        "StateNotStored",
        "What was delivered cannot be stored; DNS that the agent answers itself follows it.",
      );
  }
}

/** The edge takes this number for applied. */
export function acknowledge({ number, takesChanges }: Extract<Applied, { kind: "Applied" }>): Response {
  const takes = takesChanges ? { takes: ["Changes"] } : {};
  const acknowledgement: Acknowledgement = { version: 1, acknowledged: number, ...takes };
  return Response.json(acknowledgement);
}

/** 503 with a `Retry-After`: the edge keeps the delivery and comes again. */
export function retryLater(code: string, detail: string): Response {
  const response = refuse(503, code, detail);
  response.headers.set("retry-after", RETRY_AFTER_SECONDS);
  return response;
}

function refuse(status: number, code: string, detail: string): Response {
  const body: Problem = { type: `urn:vedette:agent:${code}`, title: code, status, detail };
  return Response.json(body, { status, headers: { "content-type": "application/problem+json" } });
}

/** Undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Limits the number of concurrent large bodies, including those without a length. A body is in memory before its
 * signature can be checked, and anyone can send one. Small bodies always pass.
 */
export function limitLargeBodies(largeBytes: number, mostAtOnce: number, onFull: () => Response): MiddlewareHandler {
  let passing = 0;
  return async ({ req }, next) => {
    const bytes = Number(req.header("content-length") ?? Number.POSITIVE_INFINITY);
    if (bytes <= largeBytes) return next();
    if (passing >= mostAtOnce) return onFull();
    passing += 1;
    try {
      await next();
    } finally {
      passing -= 1;
    }
  };
}
