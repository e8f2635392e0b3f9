import { useView } from "../api/store.ts";
import { PageHead } from "../ui/page.tsx";
import { EmptyNote, ErrorNote, Skeleton } from "../ui/states.tsx";
import { RegionTable } from "./region-table.tsx";
import { standingsOf } from "./standing.ts";
import { WorldMap } from "./world-map.tsx";
import "./regions.css";

/** The regions on the map, and as a table. */
export default function RegionsPage() {
  const overview = useView((view) => view.overview);
  const fault = useView((view) => view.fault);
  const standings = overview === undefined ? [] : standingsOf(overview);
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
