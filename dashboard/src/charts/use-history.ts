import { useEffect, useState } from "preact/hooks";
import type { HistorySpan, RecordHistory } from "../../../shared/model/history.ts";
import { type ApiError, asApiError, getJson } from "../api/client.ts";

/** The finest step is a minute, so a shorter interval shows nothing new. */
const READ_EVERY_MS = 60_000;

export interface HistoryView {
  /** The history of the chosen span, or of the previous one while the new one loads. */
  history: RecordHistory | undefined;
  fault: ApiError | undefined;
}

/**
 * Reads the history of a record. Reads it again each minute while the page is visible, and when `decidedAt` changes.
 */
export function useHistory(host: string, span: HistorySpan, decidedAt: number): HistoryView {
  const [seen, setSeen] = useState<HistoryView>({ history: undefined, fault: undefined });
  useEffect(() => {
    const stopped = new AbortController();
    const read = () => {
      getJson<RecordHistory>(`/v1/records/${encodeURIComponent(host)}/history?span=${span}`, stopped.signal).then(
        (history) => setSeen({ history, fault: undefined }),
        (error: unknown) => {
          if (stopped.signal.aborted) return;
          setSeen((before) => ({ ...before, fault: asApiError(error) }));
        },
      );
    };
    read();
    const timer = setInterval(() => {
      if (!document.hidden) read();
    }, READ_EVERY_MS);
    return () => {
      clearInterval(timer);
      stopped.abort();
    };
  }, [host, span, decidedAt]);
  return seen;
}
