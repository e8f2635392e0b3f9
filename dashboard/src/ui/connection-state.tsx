import { useEffect, useState } from "preact/hooks";
import { connectionOf } from "../api/connection.ts";
import { useView } from "../api/store.ts";
import { spanWords } from "./time.tsx";

const WORDS = { connecting: "Connecting", live: "Live", polling: "Updated every 5 s" };

/** How fresh what the page shows is. */
export function ConnectionState() {
  const view = useView((whole) => whole);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const connection = connectionOf(view, Math.max(now, Date.now()));
  return (
    <div class="connection" role="status" data-connection={connection.state}>
      <span class="connection-dot" aria-hidden="true" />
      {connection.state === "stale" ? (
        <span>
          Stale: last word <span>{spanWords(now - connection.lastWordAt)} ago</span>
        </span>
      ) : (
        WORDS[connection.state]
      )}
    </div>
  );
}
