import { useEffect } from "preact/hooks";
import type { ClusterHealth } from "../../../shared/model/overview.ts";
import { useView } from "../api/store.ts";
import { Fact, PageHead } from "../ui/page.tsx";
import { ToneMark } from "../ui/state-mark.tsx";
import { EmptyNote, ErrorNote, Skeleton } from "../ui/states.tsx";
import { Ago, TextWithTimes } from "../ui/time.tsx";
import "./clusters.css";

/** The clusters and their agents: what they sent, and whether they are reachable. Problems come first. */
export default function ClustersPage() {
  const overview = useView((view) => view.overview);
  const fault = useView((view) => view.fault);
  useEffect(() => {
    if (location.hash === "") return;
    // For a link to one cluster. Runs after the page change has scrolled to the top.
    const id = decodeURIComponent(location.hash.slice(1));
    const frame = requestAnimationFrame(() => document.getElementById(id)?.scrollIntoView());
    return () => cancelAnimationFrame(frame);
  }, [overview === undefined]);
  return (
    <>
      <PageHead title="Clusters" />
      {fault !== undefined && (
        <ErrorNote title="The edge cannot be asked at the moment">
          <p>{fault.message}</p>
        </ErrorNote>
      )}
      {overview === undefined ? (
        fault === undefined && <Skeleton label="Loading clusters" rows={2} />
      ) : overview.role === "public" ? (
        <EmptyNote title="Clusters are not shown to everyone">
          <p>
            <a href="/login">Log in</a> to see them.
          </p>
        </EmptyNote>
      ) : (
        <Clusters clusters={overview.clusters} />
      )}
    </>
  );
}

function Clusters({ clusters }: { clusters: readonly ClusterHealth[] }) {
  if (clusters.length === 0) {
    return (
      <EmptyNote title="No cluster is registered">
        <p>
          Register one with <code>vedette cluster add</code>; its agent then says which records it wants watched.
        </p>
      </EmptyNote>
    );
  }
  const sorted = clusters.toSorted((a, b) => trouble(b) - trouble(a) || (a.cluster < b.cluster ? -1 : 1));
  return (
    <ul class="clusters">
      {sorted.map((cluster) => (
        <Cluster key={cluster.cluster} health={cluster} />
      ))}
    </ul>
  );
}

const trouble = ({ reachable, conditions }: ClusterHealth): number =>
  (reachable ? 0 : 2) + (conditions.length > 0 ? 1 : 0);

function Cluster({ health }: { health: ClusterHealth }) {
  const { cluster, records, reachable, failures, lastFailure, backlog } = health;
  // The note above already says that it is unreachable.
  const conditions = health.conditions.filter(({ type }) => reachable || type !== "Delivered");
  const tone = reachable ? (conditions.length > 0 ? "warn" : "ok") : "bad";
  return (
    <li class={`card cluster tone-${tone}`} id={`cluster-${cluster}`} data-cluster={cluster}>
      <h2>{cluster}</h2>
      <p class="cluster-state">
        <ToneMark tone={tone} />
        {reachable ? (conditions.length > 0 ? "Reachable, with something amiss" : "Reachable") : "Not reachable"}
      </p>
      {!reachable && (
        <p class="cluster-failure">
          {failures === 1 ? "The last delivery failed" : `${failures} deliveries failed in a row`}
          {lastFailure !== undefined && `: ${lastFailure}`}. What is decided does not get there.
        </p>
      )}
      <dl class="facts">
        <Fact name="Records">{records}</Fact>
        <Fact name="Last snapshot">{agoOf(health.lastSnapshotAt)}</Fact>
        <Fact name="Last delivery">{agoOf(health.lastDeliveryAt)}</Fact>
        <Fact name="Backlog">{backlog ? "a decision is not confirmed yet" : "none"}</Fact>
      </dl>
      {conditions.length > 0 && (
        <ul class="conditions">
          {conditions.map(({ type, reason, message }) => (
            <li key={type}>
              <strong>{words(reason)}</strong>: <TextWithTimes text={message} />
            </li>
          ))}
        </ul>
      )}
      <p class="small">
        <a href={`/events?cluster=${encodeURIComponent(cluster)}`}>Events of {cluster}</a>
      </p>
    </li>
  );
}

/** `RecordsRefused` as `Records refused`. */
const words = (reason: string): string => reason.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const agoOf = (at: number | undefined) => (at === undefined ? "never" : <Ago at={at} />);
