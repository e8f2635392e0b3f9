import { useView } from "../api/store.ts";
import { PageHead } from "../ui/page.tsx";
import { EmptyNote, ErrorNote, Skeleton } from "../ui/states.tsx";
import { type RegionStatus, regionStatuses } from "./region-status.ts";
import { WorldMap } from "./world-map.tsx";
import "./regions.css";
import { StateMark } from "../ui/state-mark.tsx";
import { Ago } from "../ui/time.tsx";
import { PLACES } from "./places.ts";

/** The regions on the map, and as a table. */
export default function RegionsPage() {
  const overview = useView((view) => view.overview);
  const fault = useView((view) => view.fault);
  const standings = overview === undefined ? [] : regionStatuses(overview);
  return (
    <>
      <PageHead title="Regions">
        <p class="muted">Where Vedette looks from, and what it sees there.</p>
      </PageHead>
      {overview === undefined && fault === undefined && <Skeleton label="Reading the regions" />}
      {overview === undefined && fault !== undefined && (
        <ErrorNote title="The regions could not be read">
          <p>{fault.message} It is asked again every few seconds.</p>
        </ErrorNote>
      )}
      {overview !== undefined && standings.length === 0 && (
        <EmptyNote title="No region looks at anything yet">
          <p>
            Regions appear with the first record that has a health check: its <code>regions</code> name those that look
            at it.
          </p>
        </EmptyNote>
      )}
      {standings.length > 0 && (
        <>
          <WorldMap standings={standings} />
          <RegionTable standings={standings} />
        </>
      )}
    </>
  );
}

/** Rounds that start up to this late count as on time in the view. */
const LATE_MS = 1_000;

/** The map as a table. */
export function RegionTable({ standings }: { standings: readonly RegionStatus[] }) {
  return (
    <div class="card">
      <table class="regions">
        <caption class="visually-hidden">Regions, from west to east</caption>
        <thead>
          <tr>
            <th scope="col">Region</th>
            <th scope="col">What it sees</th>
            <th scope="col">Runs in</th>
            <th scope="col">Last report</th>
          </tr>
        </thead>
        <tbody>
          {standings.map((standing) => (
            <Row key={standing.view.region} {...standing} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ view: { region, colos, lastReportAt, lateMs }, tone, words }: RegionStatus) {
  return (
    <tr data-region={region}>
      <th scope="row">
        <b class="mono">{region}</b>
        <span class="muted region-place">{PLACES[region].name}</span>
      </th>
      <td>
        <span class="standing" data-tone={tone}>
          <StateMark state={tone} />
          {words}
        </span>
      </td>
      <td>{colos.length > 0 ? <span class="mono">{colos.join(" ")}</span> : <span class="muted">not known</span>}</td>
      <td>
        {lastReportAt === undefined ? <span class="muted">none yet</span> : <Ago at={lastReportAt} />}
        {lateMs !== undefined && lateMs >= LATE_MS && (
          <span class="late"> rounds {(lateMs / 1_000).toFixed(1)} s late</span>
        )}
      </td>
    </tr>
  );
}
