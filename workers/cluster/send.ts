import { formatDurationMs } from "../../shared/model/duration.ts";
import { acknowledgement } from "../../shared/model/messages/delivery.ts";
import type { MessageNumber } from "../../shared/model/number.ts";

const MAX_ANSWER_BYTES = 16_384;
const MAX_REASON_CHARACTERS = 120;

/** The number that an agent has applied, and what it takes next. */
export type Answered = { acknowledged: MessageNumber; takes: readonly string[] };
/** What came of one call; or why there is no answer, in words. */
export type Answer = Answered | { failure: string };

/**
 * Posts a delivery. Redirects are not followed, the answer is read up to a limit, and everything ends at the deadline,
 * from the first byte sent to the last one read. Anything but a 2xx that names a number acknowledges nothing.
 */
export async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  deadlineMs: number,
): Promise<Answer> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), deadlineMs);
  try {
    const request = { method: "POST", headers, body, redirect: "manual", signal: controller.signal } as const;
    return await read(await fetch(url, request));
  } catch (error) {
    if (controller.signal.aborted) return { failure: `no answer within ${formatDurationMs(deadlineMs)}` };
    return { failure: `cannot be reached: ${reasonOf(error, url).slice(0, MAX_REASON_CHARACTERS)}` };
  } finally {
    clearTimeout(timer);
  }
}

/** Where the agent is reached is for admins alone, and what is said here is shown to all who watch. */
function reasonOf(error: unknown, url: string): string {
  const reason = error instanceof Error ? error.message : String(error);
  return reason
    .replaceAll(url, "the agent")
    .replaceAll(new URL(url).host, "the agent")
    .replaceAll(new URL(url).hostname, "the agent");
}

async function read(response: Response): Promise<Answer> {
  if (!response.ok) {
    await response.body?.cancel();
    return { failure: statusFailure(response.status) };
  }
  const text = await textWithin(response, MAX_ANSWER_BYTES);
  const parsed = text === undefined ? undefined : acknowledgement.safeParse(jsonOf(text));
  if (parsed?.success) return { acknowledged: parsed.data.acknowledged, takes: parsed.data.takes ?? [] };
  return { failure: `answered ${response.status} without an acknowledgement` };
}

/** TLS and DNS failures come back as answers that the platform has made: trouble on the way, not the agent's word. */
function statusFailure(status: number): string {
  if ((status >= 520 && status <= 527) || status === 530) return `trouble on the way (status ${status})`;
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed`;
  return `answered ${status}`;
}

/** The body as text; undefined, and the rest is not read, where it is longer than the limit. */
async function textWithin(response: Response, limitBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > limitBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
