/**
 * Does work with a signal that is given after so many milliseconds, or with the outer one.
 *
 * Not by AbortSignal.any with AbortSignal.timeout: Node 20 collects these while somebody still listens, and then nothing ends.
 */
export async function withDeadline<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const unlink = linkAbort(outer, controller);
  const late = () => controller.abort(new DOMException("no answer in time", "TimeoutError"));
  const timer = setTimeout(late, ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

/** Has the signal abort the controller too. Returns what ends that. */
export function linkAbort(outer: AbortSignal | undefined, controller: AbortController): () => void {
  const abort = () => controller.abort(outer?.reason);
  if (outer?.aborted) abort();
  outer?.addEventListener("abort", abort);
  return () => outer?.removeEventListener("abort", abort);
}

/** Resolves after so many milliseconds, or as soon as the signal is given. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
