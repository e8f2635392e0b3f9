import { useView } from "../api/store.ts";
import type { Route } from "../router.ts";
import { ConnectionState } from "./connection-state.tsx";
import { StaleBar } from "./stale-bar.tsx";
import { ThemeToggle } from "./theme-toggle.tsx";

const LINKS = [
  ["overview", "/", "Overview"],
  ["regions", "/regions", "Regions"],
  ["events", "/events", "Events"],
  ["clusters", "/clusters", "Clusters"],
] as const;
const PUBLIC_LINKS = [LINKS[0], LINKS[1], ["login", "/login", "Log in"]] as const;

/** The head of all pages: where one can go, and how fresh all this is. */
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
