import type { AdvisedRegion } from "../../../shared/health/advisory.ts";
import type { Region } from "../../../shared/model/region.ts";
import { outcomeOf } from "../../../shared/reason.ts";
import { wordOf } from "../../../shared/record/summary.ts";
import type { CoordinatorState, ProbeState } from "../state.ts";

/** Marks the probe's record as changed if its regions look different in the summary than at the last call. */
export function updateSummarySignature(
  state: CoordinatorState,
  probe: ProbeState,
  verdicts: readonly AdvisedRegion[],
): void {
  const shown = summarySignature(probe, verdicts);
  if (shown === probe.summarySignature) return;
  probe.summarySignature = shown;
  state.changedRoots.add(probe.root.rootHost);
}

/** What a summary shows of a probe's regions: their verdicts, and the failure of unhealthy ones. No counts or times. */
export function summarySignature(probe: ProbeState, verdicts: readonly AdvisedRegion[]): string {
  return verdicts.map((verdict) => `${wordOf(verdict)} ${failureIn(probe, verdict)}`).join();
}

function failureIn(
  { regionStates }: ProbeState,
  { region, counts }: { region: Region } & Pick<AdvisedRegion, "counts">,
): string {
  const observation = counts.says === "Unhealthy" ? regionStates.get(region)?.observation : undefined;
  if (observation === undefined || outcomeOf(observation.reason) !== "failed") return "";
  return `${observation.reason}${observation.httpStatus ?? ""}`;
}
