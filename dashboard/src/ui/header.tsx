import { useState } from "preact/hooks";
import { connectionOf } from "../api/connection.ts";
import { useView } from "../api/store.ts";
import type { Route } from "../router.ts";
import { spanWords, Time, useNow } from "./time.tsx";

const LINKS = [
  ["overview", "/", "Overview"],
  ["regions", "/regions", "Regions"],
  ["events", "/events", "Events"],
  ["clusters", "/clusters", "Clusters"],
] as const;
const PUBLIC_LINKS = [LINKS[0], LINKS[1], ["login", "/login", "Log in"]] as const;

/** The header of all pages: the navigation and the state of the connection. */
export function Header({ page }: { page: Route["page"] }) {
  const isPublic = useView((view) => view.overview?.role === "public");
  const needsLogin = useView((view) => view.needsLogin);
  return (
    <header class="top">
      <div class="top-inner">
        <a class="brand" href="/">
          <Mark />
          Vedette
        </a>
        {!needsLogin && (
          <>
            <nav aria-label="Main">
              {(isPublic ? PUBLIC_LINKS : LINKS).map(([name, path, words]) => (
                <a key={name} href={path} aria-current={page === name ? "page" : undefined}>
                  {words}
                </a>
              ))}
            </nav>
            <ConnectionState />
          </>
        )}
        <ThemeToggle />
      </div>
      <StaleBar />
    </header>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M7 8l9 17 9-17" />
      <circle cx="16" cy="8.5" r="3" />
    </svg>
  );
}

const WORDS = { connecting: "Connecting", live: "Live", polling: "Updated every 5 s" };

/** The state of the connection. */
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
          {/* Announced once, not each second. */}
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

/** Shows the age of the data while it is stale. The header announces the state. */
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

const KEY = "vedette-theme";

/** Switches between light and dark. The default is the system's theme. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(current);
  const other = theme === "dark" ? "light" : "dark";
  const choose = () => {
    document.documentElement.dataset.theme = other;
    try {
      localStorage.setItem(KEY, other);
    } catch {
      // Without storage, the choice lasts until the page is closed.
    }
    setTheme(other);
  };
  return (
    <button type="button" class="icon-button" onClick={choose} title={`Use the ${other} theme`}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="7" />
        <path d="M10 3a7 7 0 0 1 0 14z" />
      </svg>
      <span class="visually-hidden">{`Use the ${other} theme`}</span>
    </button>
  );
}

function current(): "light" | "dark" {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** The footer of all pages: the identity of the viewer and links to the API. */
export function Footer() {
  const role = useView((view) => view.overview?.role);
  return (
    <footer class="foot">
      {role !== undefined && role !== "public" && <a href="/login">Seen as {role}</a>}
      <a href="/openapi.json">API</a>
    </footer>
  );
}
