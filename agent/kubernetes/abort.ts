/**
 * Runs work with a signal that aborts after a time in milliseconds, or when the outer signal does.
 *
 * AbortSignal.any with AbortSignal.timeout does not serve: Node 20 collects these signals while they still have
 * listeners, so that the work never ends.
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

/** Makes the signal abort the controller too. Returns a function that undoes this. */
export function linkAbort(outer: AbortSignal | undefined, controller: AbortController): () => void {
  const abort = () => controller.abort(outer?.reason);
  if (outer?.aborted) abort();
  outer?.addEventListener("abort", abort);
  return () => outer?.removeEventListener("abort", abort);
}

/** Resolves after a time in milliseconds, or as soon as the signal aborts. */
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
