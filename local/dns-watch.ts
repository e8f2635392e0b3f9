import type { Answer } from "./dns-client.ts";
import type { Watched } from "./watched.ts";

/** An answer that is not what it was; `before` is absent the first time. */
export type DnsChange = { question: Watched; before?: Answer; after: Answer; at: number };

const PAUSE_MS = 100;

/**
 * Asks again and again what a client would, and tells each change. The questions are read anew each time round, so
 * that records may come and go. Gives the function that ends it.
 */
export function watchDns(
  ask: (question: Watched) => Promise<Answer | undefined>,
  questions: () => readonly Watched[],
  onChange: (change: DnsChange) => void,
): () => void {
  const seen = new Map<string, Answer>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function sweep(): Promise<void> {
    for (const question of questions()) {
      const after = await ask(question).catch(() => undefined);
      if (after === undefined || stopped) continue;
      const key = `${question.name} ${question.type}`;
      const before = seen.get(key);
      if (JSON.stringify(before) === JSON.stringify(after)) continue;
      seen.set(key, after);
      onChange({ question, ...(before === undefined ? {} : { before }), after, at: Date.now() });
    }
  }

  function next(): void {
    if (!stopped) timer = setTimeout(() => void sweep().finally(next), PAUSE_MS);
  }
  next();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
