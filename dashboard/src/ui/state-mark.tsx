import type { RecordState, RegionSummary } from "../../../shared/model/overview.ts";
import type { LeafFacts } from "../record/leaf-facts.ts";
import "../record/tones.css";

/** Each state has its own shape, so that colour is never the only sign. */
const SHAPES: Record<RecordState, string> = {
  Critical: "M6.2 1.5h7.6l4.7 4.7v7.6l-4.7 4.7H6.2l-4.7-4.7V6.2zM9 5v6.2h2V5zm0 7.8V15h2v-2.2z",
  Degraded: "M10 1.8 19 18H1zM9 7.5v5.3h2V7.5zm0 6.7v2h2v-2z",
  Warning: "M10 1.5 18.5 10 10 18.5 1.5 10zM9 6v4.8h2V6zm0 6.2v2h2v-2z",
  Pending:
    "M10 1.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zm0 2a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM9 6h2v3.7l2.6 2.1-1.3 1.6L9 10.7z",
  Unknown: "M10 1.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zm0 2a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM6.5 9h7v2h-7z",
  NotProbed: "M3 9h14v2H3z",
  Healthy: "M10 1.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zm3.7 5L8.8 11.4 6.5 9.1 5.1 10.5l3.7 3.7L15.1 7.9z",
};

export const STATE_WORDS: Record<RecordState, string> = {
  Critical: "Critical",
  Degraded: "Degraded",
  Warning: "Warning",
  Pending: "Pending",
  Unknown: "Unknown",
  NotProbed: "Not probed",
  Healthy: "Healthy",
};

/** The mark of a record's state. */
export function StateMark({ state }: { state: RecordState }) {
  return (
    <svg class="state-mark" data-tone={state} viewBox="0 0 20 20" aria-hidden="true">
      <path d={SHAPES[state]} fill-rule="evenodd" />
    </svg>
  );
}

/**
 * The mark of a region's verdict: a dot, a cross, a ring, a dash, or a faint mark for a region that does not probe.
 * Text beside it says what it means.
 */
export const RegionMark = ({ says }: { says: RegionSummary["says"] | undefined }) => (
  <i class="region-mark" data-says={says} />
);

const TONE_SHAPES = {
  ok: "M3.5 8.5l3 3 6-6.5",
  bad: "M4 4l8 8M12 4l-8 8",
  warn: "M8 3v6.5M8 12.6v.1",
  quiet: "M4 8h8",
};

/** A mark known by its shape: a tick, a cross, an exclamation mark or a bar. The text stands beside it. */
export function ToneMark({ tone }: { tone: LeafFacts["tone"] }) {
  return (
    <svg class={`tone-mark tone-${tone}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={TONE_SHAPES[tone]} />
    </svg>
  );
}
