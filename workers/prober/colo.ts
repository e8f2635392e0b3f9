import { EXPIRED, withDeadline } from "./dial/deadline.ts";

const TIMEOUT_MS = 1_000;
const MAX_CHARACTERS = 4_096;

/**
 * Asks in which data centre the object runs. Its region is only where it was requested to be (platform: `sam`, `afr` and `me`
 * were seen elsewhere). Undefined where that is not to be learnt; never rejects.
 */
export async function fetchColo(url: string): Promise<string | undefined> {
  const abort = new AbortController();
  try {
    const text = await withDeadline(TIMEOUT_MS, (deadline) => deadline.race(fetchStart(url, abort.signal)));
    return text === EXPIRED ? undefined : /^colo=([A-Z]{3})$/m.exec(text)?.[1];
  } catch {
    return undefined;
  } finally {
    abort.abort();
  }
}

async function fetchStart(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal, redirect: "manual" });
  let text = "";
  for await (const piece of response.body ?? []) {
    text += new TextDecoder().decode(piece);
    if (text.length > MAX_CHARACTERS) break;
  }
  return text;
}
