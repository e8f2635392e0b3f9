import { describeReason } from "../../../shared/explain/describe-reason.ts";
import { counted } from "../../../shared/explain/region-views.ts";
import type { ProbeStatus, RegionStatus } from "../../../shared/model/status.ts";
import { formatMs } from "../charts/format.ts";
import { ToneMark } from "../ui/state-mark.tsx";
import { Ago, TextWithTimes } from "../ui/time.tsx";
import "./regions.css";

/** All regions at a glance: each name with the mark of its verdict. */
export function RegionStrip({ regions }: { regions: readonly RegionStatus[] }) {
  return (
    <span class="region-strip">
      {regions.map((region) => (
        <span key={region.region} class={`region-chip tone-${toneOf(region)}`}>
          <ToneMark tone={toneOf(region)} />
          {region.region}
          <span class="visually-hidden"> {sayingOf(region)}</span>
        </span>
      ))}
    </span>
  );
}

/** The verdict of each region on a probe, with counts and the time of the last check. */
export function RegionTable({ probe }: { probe: ProbeStatus }) {
  return (
    <table class="region-table">
      <caption class="visually-hidden">{`${probe.leaf} as seen from each region`}</caption>
      <thead>
        <tr>
          <th scope="col">Region</th>
          <th scope="col">Says</th>
          <th scope="col">In a row</th>
          <th scope="col">Found</th>
          <th scope="col">Last check</th>
        </tr>
      </thead>
      <tbody>
        {probe.regions.map((region) => (
          <Row key={region.region} region={region} probe={probe} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ region, probe }: { region: RegionStatus; probe: ProbeStatus }) {
  const { freshness, checkedAt, colo, observation } = region;
  return (
    <tr data-region={region.region}>
      <th scope="row">
        {region.region}
        {colo !== undefined && (
          <span class="colo" title="The data centre that the prober really runs in">
            {colo}
          </span>
        )}
      </th>
      <td class={`says tone-${toneOf(region)}`}>
        <ToneMark tone={toneOf(region)} />
        {sayingOf(region)}
      </td>
      <td>{countsWords(region, probe)}</td>
      <td>
        {observation === undefined ? <span class="muted">nothing yet</span> : <Found observation={observation} />}
      </td>
      <td>
        {checkedAt === undefined ? <span class="muted">never</span> : <Ago at={checkedAt} />}
        {freshness !== "Fresh" && <span class="freshness">{freshness === "Silent" ? "silent" : "awaited"}</span>}
      </td>
    </tr>
  );
}

function Found({ observation }: { observation: NonNullable<RegionStatus["observation"]> }) {
  const { httpStatus, phases, message, address } = observation;
  const status = httpStatus === undefined || observation.reason === "UnexpectedStatus" ? "" : `, HTTP ${httpStatus}`;
  return (
    <>
      {describeReason(observation)}
      {status} <span class="muted">in {formatMs(phases.totalMs)}</span>
      {address !== undefined && <span class="muted"> at {address}</span>}
      {message !== undefined && (
        <span class="found-message muted">
          <TextWithTimes text={message} />
        </span>
      )}
    </>
  );
}

/** The counts beside their threshold: `6 failures, threshold 2`, `1 success of 2`. */
function countsWords({ counts }: RegionStatus, { failureThreshold, successThreshold }: ProbeStatus): string {
  if (counts.failures > 0) return `${counted(counts.failures, "failure")}, threshold ${failureThreshold}`;
  if (counts.successes >= successThreshold) return counted(counts.successes, "success");
  return `${counts.successes} of ${counted(successThreshold, "success")}`;
}

function toneOf({ freshness, counts }: RegionStatus) {
  if (freshness !== "Fresh" || counts.says === "Pending") return "quiet";
  return counts.says === "Healthy" ? "ok" : "bad";
}

function sayingOf({ freshness, counts }: RegionStatus): string {
  if (freshness === "Silent") return counts.says === "Pending" ? "Silent" : `Silent, last ${counts.says}`;
  return counts.says;
}
