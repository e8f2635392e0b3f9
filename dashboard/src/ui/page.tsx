import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import "../record/tones.css";

/** The head of each page: its h1, and the title of the document. */
export function PageHead({ title, children }: { title: string; children?: ComponentChildren }) {
  useTitle(title);
  return (
    <header class="page-head">
      <h1>{title}</h1>
      {children}
    </header>
  );
}

/** Titles the document: `Events – Vedette`. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – Vedette`;
  }, [title]);
}

/** A name and what it is, for a `dl` of class `facts`. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
