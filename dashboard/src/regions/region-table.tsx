import { StateMark } from "../ui/state-mark.tsx";
import { Ago } from "../ui/time.tsx";
import { PLACES } from "./places.ts";
import type { Standing } from "./standing.ts";

/** Rounds that begin up to so much late are on time, for people. */
const LATE_MS = 1_000;

/** What the map shows, in words. */
export function RegionTable({ standings }: { standings: readonly Standing[] }) {
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

function Row({ view: { region, colos, lastReportAt, lateMs }, tone, words }: Standing) {
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
