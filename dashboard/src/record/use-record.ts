import { useEffect, useRef, useState } from "preact/hooks";
import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import { type ApiError, asApiError, getJson } from "../api/client.ts";
import { readOverview, useView } from "../api/store.ts";

const READ_EVERY_MS = 10_000;

/** The record, and the error of the last read. An error keeps the last record. */
export interface RecordView {
  record: RecordDetail | undefined;
  /** When it was read, Unix ms by the viewer's clock. */
  readAt: number | undefined;
  fault: ApiError | undefined;
}

/** Reads a record now, on each change in the stream, and every 10 s while the page is visible. */
export function useRecord(host: string): RecordView {
  const [seen, setSeen] = useState<RecordView>({ record: undefined, readAt: undefined, fault: undefined });
  const toldAt = useView((view) => view.told.get(host)?.at);
  const reader = useRef<Reader>(undefined);
  useEffect(() => {
    const reads = new Reader(host, (change) => setSeen((before) => ({ ...before, ...change })));
    reader.current = reads;
    const lookAgain = () => {
      if (!document.hidden) reads.read();
    };
    reads.read();
    const timer = setInterval(lookAgain, READ_EVERY_MS);
    document.addEventListener("visibilitychange", lookAgain);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", lookAgain);
      reads.stop();
    };
  }, [host]);
  useEffect(() => {
    if (toldAt !== undefined) reader.current?.read();
  }, [toldAt]);
  return seen;
}

/** One read at a time. A change during a read causes another, because the answer may be older than the change. */
class Reader {
  readonly #path: string;
  readonly #tell: (change: Partial<RecordView>) => void;
  readonly #stopped = new AbortController();
  #isReading = false;
  #isOwed = false;

  constructor(host: string, tell: (change: Partial<RecordView>) => void) {
    this.#path = `/v1/records/${encodeURIComponent(host)}`;
    this.#tell = tell;
  }

  read(): void {
    this.#isOwed = true;
    if (!this.#isReading) void this.#readOwed();
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #readOwed(): Promise<void> {
    this.#isReading = true;
    while (this.#isOwed && !this.#stopped.signal.aborted) {
      this.#isOwed = false;
      await this.#readOnce();
    }
    this.#isReading = false;
  }

  async #readOnce(): Promise<void> {
    try {
      const record = await getJson<RecordDetail>(this.#path, this.#stopped.signal);
      this.#tell({ record, readAt: Date.now(), fault: undefined });
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      const fault = asApiError(error);
      this.#tell({ fault });
      // The session has ended. The overview notices, and the login page replaces this one.
      if (fault.status === 401) void readOverview();
    }
  }
}
