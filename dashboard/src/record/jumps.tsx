import type { RecordDetail } from "../../../shared/model/record-detail.ts";

/** With fewer addresses all of the page is a screen or two away. */
const MANY = 5;

const PARTS = [
  ["history", "Latency and availability"],
  ["recent", "What happened of late"],
  ["steps", "The decision, step by step"],
] as const;

/** Ways past the addresses where there are many. */
export function Jumps({ record }: { record: RecordDetail }) {
  if (record.leaves.length <= MANY) return null;
  return (
    <nav class="jumps small" aria-label="On this page">
      {PARTS.map(([id, words]) => (
        <a key={id} href={`#${id}`}>
          {words}
        </a>
      ))}
    </nav>
  );
}
