import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import "../record/tones.css";

/** The heading of a page: its h1 and the document title. */
export function PageHead({ title, children }: { title: string; children?: ComponentChildren }) {
  useTitle(title);
  return (
    <header class="page-head">
      <h1>{title}</h1>
      {children}
    </header>
  );
}

/** Sets the document title: `Events – Vedette`. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – Vedette`;
  }, [title]);
}

/** A term and its description, in a `dl` of class `facts`. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
