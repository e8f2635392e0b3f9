const MINUTE_MS = 60_000;

/**
 * Calls the Worker's scheduled handler each minute, since the local runtime never does by itself. Gives the function
 * that ends it.
 */
export function startCron(edgeUrl: string, onTrouble: (message: string) => void): () => void {
  const timer = setInterval(() => {
    callScheduled(edgeUrl).catch((error: Error) => onTrouble(`cron: ${error.message}`));
  }, MINUTE_MS);
  return () => clearInterval(timer);
}

/** One call of the scheduled handler, as cron makes it. Throws when the edge does not take it. */
export async function callScheduled(edgeUrl: string): Promise<void> {
  const response = await fetch(`${edgeUrl}/cdn-cgi/local/scheduled`, { signal: AbortSignal.timeout(MINUTE_MS) });
  const text = await response.text();
  if (!response.ok) throw new Error(`the scheduled handler answered ${response.status}: ${text.slice(0, 200)}`);
}
