import { useEffect, useState } from "preact/hooks";
import { navigate } from "../router.ts";
import { type EventFilter, readFilter, writeFilter } from "./filter.ts";

/** The filter that the page's address says, and how to change both. Typing adds no places to go back to. */
export function useFilter(): [EventFilter, (change: Partial<EventFilter>) => void] {
  const [search, setSearch] = useState(location.search);
  useEffect(() => {
    const follow = () => setSearch(location.search);
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, []);
  const change = (part: Partial<EventFilter>) => {
    const path = location.pathname + writeFilter({ ...readFilter(location.search), ...part });
    navigate(path, { replace: true });
  };
  return [readFilter(search), change];
}
