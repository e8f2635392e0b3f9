import { connectionOf } from "../api/connection.ts";
import { useView } from "../api/store.ts";
import { Time, useNow } from "./time.tsx";

/** Under the head of all pages while they are stale: of when it is what one sees. The head's state is what is announced. */
export function StaleBar() {
  useNow();
  const view = useView((whole) => whole);
  const connection = connectionOf(view, Date.now());
  if (connection.state !== "stale") return null;
  return (
    <p class="stale-bar">
      <strong>
        You see how it stood at <Time at={connection.lastWordAt + view.skewMs} />.
      </strong>{" "}
      The connection is lost, and tried again and again. DNS goes on with what was last decided.
    </p>
  );
}
