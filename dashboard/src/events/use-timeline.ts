import { useEffect, useMemo, useState } from "preact/hooks";
import { type ApiError, asApiError, getJson } from "../api/client.ts";
import { readOverview, useView } from "../api/store.ts";
import { joinEvents, type TimelineEvent } from "./timeline.ts";

/** What `GET /v1/events?last=` answers. */
interface Page {
  events: TimelineEvent[];
  previous: string;
}

export interface Timeline {
  /** All known events, newest first: pages that were read, plus the stream. */
  events: readonly TimelineEvent[];
  /** The first page is still loading. */
  isLoading: boolean;
  isLoadingOlder: boolean;
  /** The log has no older events. */
  isWhole: boolean;
  fault: ApiError | undefined;
  loadOlder(): void;
  retry(): void;
}

interface Read {
  pages: readonly TimelineEvent[];
  previous: string | undefined;
  isWhole: boolean;
  isLoading: boolean;
  isLoadingOlder: boolean;
  fault: ApiError | undefined;
}

const NOTHING: Read = {
  pages: [],
  previous: undefined,
  isWhole: false,
  isLoading: true,
  isLoadingOlder: false,
  fault: undefined,
};

/**
 * The events of all partitions: first the newest `pageSize`, then those of the stream. They are read again if the
 * stream lost some.
 */
export function useTimeline(pageSize: number): Timeline {
  const told = useView((view) => view.events);
  const missed = useView((view) => view.missed);
  const answeredAt = useView((view) => view.readAt);
  const [read, setRead] = useState(NOTHING);
  const [tries, setTries] = useState(0);
  const change = (part: Partial<Read>) => setRead((before) => ({ ...before, ...part }));
  useEffect(() => {
    const stopped = new AbortController();
    getJson<Page>(`/v1/events?last=${pageSize}`, stopped.signal)
      .then((page) => setRead((before) => withNewest(before, page)))
      .catch((error: unknown) => {
        if (!stopped.signal.aborted) change({ isLoading: false, fault: faultOf(error) });
      });
    return () => stopped.abort();
  }, [pageSize, missed, tries]);
  // The edge has just answered another call, so a failed read is repeated.
  useEffect(() => {
    if (read.fault !== undefined) setTries((count) => count + 1);
  }, [answeredAt]);
  const loadOlder = () => {
    if (read.isLoadingOlder || read.isWhole || read.previous === undefined) return;
    change({ isLoadingOlder: true });
    getJson<Page>(`/v1/events?last=${pageSize}&before=${encodeURIComponent(read.previous)}`).then(
      (page) => setRead((before) => withOlder(before, page)),
      (error: unknown) => change({ isLoadingOlder: false, fault: faultOf(error) }),
    );
  };
  const events = useMemo(() => joinEvents(read.pages, told), [read.pages, told]);
  const { isLoading, isLoadingOlder, isWhole, fault } = read;
  return { events, isLoading, isLoadingOlder, isWhole, fault, loadOlder, retry: () => setTries((count) => count + 1) };
}

/** Reads the newest page again and keeps the older pages. */
function withNewest(before: Read, page: Page): Read {
  const pages = [...before.pages, ...page.events];
  const back = before.previous === undefined ? { previous: page.previous, isWhole: isEnd(page) } : {};
  return { ...before, ...back, pages, isLoading: false, fault: undefined };
}

function withOlder(before: Read, page: Page): Read {
  const { previous } = page;
  const pages = [...before.pages, ...page.events];
  return { ...before, pages, previous, isWhole: isEnd(page), isLoadingOlder: false, fault: undefined };
}

/** Ids begin at 1. If the first ones were pruned, the previous page is empty. */
function isEnd({ events, previous }: Page): boolean {
  return events.length === 0 || previous.split(",").every((id) => Number(id) <= 1);
}

function faultOf(error: unknown): ApiError {
  const fault = asApiError(error);
  if (fault.status === 401) void readOverview();
  return fault;
}
