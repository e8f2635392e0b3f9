import { useEffect, useRef } from "preact/hooks";
import { useView } from "./api/store.ts";
import { OverviewPage } from "./overview/page.tsx";
import { type Route, useRoute } from "./router.ts";
import { Footer, Header } from "./ui/header.tsx";
import { Boundary, lazy, loadAhead } from "./ui/lazy.tsx";
import { PageHead } from "./ui/page.tsx";

const RecordPage = lazy(() => import("./record/page.tsx"));
const EventsPage = lazy(() => import("./events/page.tsx"));
const ClustersPage = lazy(() => import("./clusters/page.tsx"));
const RegionsPage = lazy(() => import("./regions/page.tsx"));
const LoginPage = lazy(() => import("./login/page.tsx"));

/** Pages that need only the overview, so that the public sees them too. */
const OPEN: ReadonlySet<Route["page"]> = new Set<Route["page"]>(["overview", "regions", "login", "unknown"]);

/** After the first page has loaded its own data. */
const LOAD_AHEAD_AFTER_MS = 1_000;

/** The application: the header and the page of the current address. */
export function App() {
  const route = useRoute();
  const isClosed = useView((view) => view.needsLogin || (view.overview?.role === "public" && !OPEN.has(route.page)));
  useLoadAhead();
  const main = useRef<HTMLElement>(null);
  const place = "host" in route ? route.host : route.page;
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    // As after a page load: a screen reader announces the new page and reading starts at its top.
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [place]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header page={route.page} />
      <main id="main" ref={main} tabIndex={-1}>
        <Boundary key={place}>{isClosed ? <LoginPage /> : <Page route={route} />}</Boundary>
      </main>
      <Footer />
    </>
  );
}

/** Loads the code of the other pages while there is a connection. The public cannot see most of them. */
function useLoadAhead(): void {
  const isIn = useView((view) => view.overview !== undefined && view.overview.role !== "public");
  useEffect(() => {
    if (!isIn) return;
    const timer = setTimeout(() => void loadAhead(), LOAD_AHEAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isIn]);
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case "overview":
      return <OverviewPage />;
    case "record":
      return <RecordPage key={route.host} host={route.host} />;
    case "events":
      return <EventsPage />;
    case "clusters":
      return <ClustersPage />;
    case "regions":
      return <RegionsPage />;
    case "login":
      return <LoginPage />;
    case "unknown":
      return (
        <PageHead title="There is no such page">
          <p>
            All there is, is reached from the <a href="/">overview</a>.
          </p>
        </PageHead>
      );
  }
}
