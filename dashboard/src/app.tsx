import { useEffect, useRef } from "preact/hooks";
import { useView } from "./api/store.ts";
import { OverviewPage } from "./overview/page.tsx";
import { type Route, useRoute } from "./router.ts";
import { Header } from "./ui/header.tsx";
import { lazy } from "./ui/lazy.tsx";
import { PageHead } from "./ui/page.tsx";

const RecordPage = lazy(() => import("./record/page.tsx"));
const EventsPage = lazy(() => import("./events/page.tsx"));
const ClustersPage = lazy(() => import("./clusters/page.tsx"));
const RegionsPage = lazy(() => import("./regions/page.tsx"));
const LoginPage = lazy(() => import("./login/page.tsx"));

/** The whole page: its header, and whichever page the address names. */
export function App() {
  const route = useRoute();
  const needsLogin = useView((view) => view.needsLogin);
  const main = useRef<HTMLElement>(null);
  const place = "host" in route ? route.host : route.page;
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    // As after a load: those who hear the page are told where they are, and reading begins at its top.
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
        {needsLogin ? <LoginPage /> : <Page route={route} />}
      </main>
    </>
  );
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
