import { useMemo, useState } from "preact/hooks";
import { readOverview, useView } from "../api/store.ts";
import { useTitle } from "../ui/page.tsx";
import { EmptyNote, ErrorNote, Skeleton } from "../ui/states.tsx";
import { type Filter, filterOf, queryOf } from "./filter.ts";
import { FilterBar } from "./filter-bar.tsx";
import { headlineOf } from "./headline.ts";
import { HeadlineBox } from "./headline-box.tsx";
import { Records } from "./records.tsx";
import "./overview.css";
import "./records.css";

const NO_FILTER: Filter = { text: "", states: new Set() };

/** All records, worst first. */
export function OverviewPage() {
  const overview = useView((view) => view.overview);
  const fault = useView((view) => view.fault);
  const [filter, setFilter] = useState<Filter>(() => filterOf(location.search));
  const headline = useMemo(() => overview && headlineOf(overview), [overview]);
  const troubled = overview?.records.filter(({ state }) => state === "Critical" || state === "Degraded").length ?? 0;
  useTitle(troubled === 0 ? "Overview" : `(${troubled}) Overview`);
  const choose = (chosen: Filter) => {
    setFilter(chosen);
    // The address can be shared. Typing must not add history entries.
    history.replaceState(null, "", location.pathname + queryOf(chosen));
  };
  return (
    <>
      <h1 class="visually-hidden">Overview</h1>
      {overview === undefined && (fault === undefined ? <Loading /> : <Unreadable message={fault.message} />)}
      {overview?.records.length === 0 && <Empty hasCluster={overview.clusters.length > 0} />}
      {overview !== undefined && headline !== undefined && overview.records.length > 0 && (
        <>
          <HeadlineBox headline={headline} overview={overview} />
          <FilterBar records={overview.records} filter={filter} onFilter={choose} />
          <Records overview={overview} filter={filter} onReset={() => choose(NO_FILTER)} />
        </>
      )}
    </>
  );
}

function Loading() {
  return <Skeleton label="Reading the overview" rows={8} />;
}

function Unreadable({ message }: { message: string }) {
  return (
    <ErrorNote title="The overview could not be read">
      <p>{message} It is asked again every few seconds; DNS goes on with what was last decided.</p>
      <p>
        <button type="button" onClick={() => void readOverview()}>
          Ask now
        </button>
      </p>
    </ErrorNote>
  );
}

function Empty({ hasCluster }: { hasCluster: boolean }) {
  if (hasCluster)
    return (
      <EmptyNote title="No record is watched yet">
        <p>
          A cluster is registered. Records appear here as soon as its agent has sent the first: create a{" "}
          <code>DNSRecord</code> with a health check, or look at <a href="/clusters">the clusters</a> if one should be
          here.
        </p>
      </EmptyNote>
    );
  return (
    <EmptyNote title="No cluster is registered yet">
      <p>Vedette watches the DNS records of Kubernetes clusters. To add the first:</p>
      <ol>
        <li>
          <code>npx vedette cluster add east --host &apos;*.example.com&apos; &gt; webhook-secret.yaml</code> registers
          it here, and writes the Secret that its agent needs.
        </li>
        <li>
          Install the agent with it: <code>docs/kubernetes.md</code> of Vedette&apos;s repository goes step by step.
        </li>
        <li>
          A <code>DNSRecord</code> that is created there appears here within seconds.
        </li>
      </ol>
    </EmptyNote>
  );
}
