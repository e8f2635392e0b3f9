import { canonicalAddress } from "../../shared/model/address.ts";
import { FORWARDED_HEADER, retryLater, type SignedDelivery } from "./webhook.ts";

/** Shorter than the edge's own timeout. */
const DEADLINE_MS = 8_000;

/**
 * Forwards a delivery with its signature to the leader and returns the leader's response. So a delivery is applied
 * once, whichever replica receives it. If the leader is unknown or does not answer, the edge is asked to retry.
 *
 * @param leaderUrl such as `http://10.1.2.3:8788`; undefined while no leader is known
 * @param signal aborts the request
 */
export async function forwardToLeader(
  delivery: SignedDelivery,
  leaderUrl: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  if (delivery.wasForwarded) return retryLater("NotLeader", "The leadership has just changed hands.");
  const url = leaderUrl === undefined ? undefined : replicaUrl(leaderUrl);
  if (url === undefined) return retryLater("NoLeader", "No replica leads at the moment.");
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { ...delivery.headers, "content-type": "application/json", [FORWARDED_HEADER]: "1" },
      body: delivery.body,
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
    });
    const retryAfter = answer.headers.get("retry-after");
    return new Response(await answer.text(), {
      status: answer.status,
      headers: {
        "content-type": answer.headers.get("content-type") ?? "application/json",
        ...(retryAfter !== null && { "retry-after": retryAfter }),
      },
    });
  } catch {
    return retryLater("LeaderUnreachable", "The replica that leads does not answer.");
  }
}

/** Replicas publish an http URL with an IP address. Other schemes and names were not written by a replica. */
function replicaUrl(text: string): URL | undefined {
  const url = URL.parse("/v1/delivery", text) ?? undefined;
  const address = url?.hostname.replace(/^\[|\]$/g, "") ?? "";
  return url?.protocol === "http:" && canonicalAddress(address) !== undefined ? url : undefined;
}
