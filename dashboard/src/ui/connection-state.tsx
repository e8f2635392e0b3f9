import { connectionOf } from "../api/connection.ts";
import { useView } from "../api/store.ts";
import { spanWords, useNow } from "./time.tsx";

const WORDS = { connecting: "Connecting", live: "Live", polling: "Updated every 5 s" };

/** How fresh what the page shows is. */
export function ConnectionState() {
  const view = useView((whole) => whole);
  useNow();
  const now = Date.now();
  const connection = connectionOf(view, now);
  return (
    <div class="connection" role="status" data-connection={connection.state}>
      <span class="connection-dot" aria-hidden="true" />
      {connection.state === "stale" ? (
        <span>
          Stale
          {/* Said once, not each second. */}
          <span aria-hidden="true">
            : <span class="last-word">last word</span> {spanWords(now - connection.lastWordAt)} ago
          </span>
        </span>
      ) : (
        WORDS[connection.state]
      )}
    </div>
  );
}
