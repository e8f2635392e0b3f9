import { useEffect, useState } from "preact/hooks";

/** The pages without a parameter, by path. */
const PAGES = new Map([
  ["/", "overview"],
  ["/regions", "regions"],
  ["/events", "events"],
  ["/clusters", "clusters"],
  ["/login", "login"],
] as const);
type Page = typeof PAGES extends Map<string, infer Name> ? Name : never;

/** A location in the view. `host` is the root host of a record. */
export type Route = { page: Page } | { page: "record"; host: string } | { page: "unknown" };

/** The path of a record's page. */
export const recordPath = (host: string): string => `/records/${encodeURIComponent(host)}`;

/** Parses the path of an address. */
export function routeOf(path: string): Route {
  const page = (PAGES as ReadonlyMap<string, Page>).get(path);
  if (page !== undefined) return { page };
  const host = /^\/records\/([^/]+)$/.exec(path)?.[1];
  if (host === undefined) return { page: "unknown" };
  try {
    return { page: "record", host: decodeURIComponent(host) };
  } catch {
    return { page: "unknown" };
  }
}

/** Navigates within the site. `replace` replaces the current history entry. */
export function navigate(path: string, { replace = false } = {}): void {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  dispatchEvent(new Event("popstate"));
}

/** The current location. Clicks on plain links within this site navigate without a load. */
export function useRoute(): Route {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => {
    const follow = () => setPath(location.pathname);
    addEventListener("popstate", follow);
    document.addEventListener("click", followLink);
    return () => {
      removeEventListener("popstate", follow);
      document.removeEventListener("click", followLink);
    };
  }, []);
  return routeOf(path);
}

/** Ignores everything but a plain click on a link within this site. A click for a new tab is the browser's. */
function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || link.origin !== location.origin || link.target !== "" || link.hasAttribute("download")) return;
  // A jump within the page, or a path of the API.
  if (link.hash !== "" && link.pathname === location.pathname) return;
  if (routeOf(link.pathname).page === "unknown") return;
  event.preventDefault();
  if (link.href === location.href) return;
  navigate(link.pathname + link.search + link.hash);
}
