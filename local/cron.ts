const MINUTE_MS = 60_000;

/**
 * Calls the Worker's scheduled handler now and each minute, since the local runtime never does by itself. The first
 * call re-arms what lost its alarm while the edge was away. Gives the function that ends it.
 */
export function startCron(edgeUrl: string, onTrouble: (message: string) => void): () => void {
  const tick = () => {
    callScheduled(edgeUrl).catch((error: Error) => onTrouble(`cron: ${error.message}`));
  };
  const timer = setInterval(tick, MINUTE_MS);
  tick();
  return () => clearInterval(timer);
}

async function callScheduled(edgeUrl: string): Promise<void> {
  const response = await fetch(`${edgeUrl}/cdn-cgi/local/scheduled`, { signal: AbortSignal.timeout(MINUTE_MS) });
  const text = await response.text();
  if (!response.ok) throw new Error(`the scheduled handler answered ${response.status}: ${text.slice(0, 200)}`);
}
