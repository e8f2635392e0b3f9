import type { LeafFacts } from "./facts.ts";
import "./tones.css";

const SHAPES = {
  ok: "M3.5 8.5l3 3 6-6.5",
  bad: "M4 4l8 8M12 4l-8 8",
  warn: "M8 3v6.5M8 12.6v.1",
  quiet: "M4 8h8",
};

/** A sign that is told by its shape alone: a tick, a cross, an exclamation mark, a bar. The word stands beside it. */
export function ToneMark({ tone }: { tone: LeafFacts["tone"] }) {
  return (
    <svg class={`tone-mark tone-${tone}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHAPES[tone]} />
    </svg>
  );
}
