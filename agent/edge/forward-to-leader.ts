import { canonicalAddress } from "../../shared/model/address.ts";
import { FORWARDED_HEADER, retryLater, type SignedDelivery } from "./webhook.ts";

/** Less than the edge waits for its own answer. */
const DEADLINE_MS = 8_000;

/**
 * Hands a delivery on to the replica that leads, as it came and with its signature, and relays the answer: whichever
 * replica a delivery reaches, it is applied once. Where the leader is not known or does not answer, the edge comes again.
 *
 * @param leaderUrl such as `http://10.1.2.3:8788`; undefined while nobody is known to lead
 * @param signal ends what is under way
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

/** A replica is known by an address and a port: a name, or another scheme, is none that a replica wrote. */
function replicaUrl(text: string): URL | undefined {
  const url = URL.parse("/v1/delivery", text) ?? undefined;
  const address = url?.hostname.replace(/^\[|\]$/g, "") ?? "";
  return url?.protocol === "http:" && canonicalAddress(address) !== undefined ? url : undefined;
}
