import type { ComponentChildren } from "preact";
import "./tones.css";

/** A name and what it is, for a `dl` of class `facts`. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
