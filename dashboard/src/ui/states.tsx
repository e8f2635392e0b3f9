import type { ComponentChildren } from "preact";
import type { ApiError } from "../api/client.ts";

/** A placeholder while content loads. */
export function Skeleton({ label, rows = 6 }: { label: string; rows?: number }) {
  return (
    <div class="skeleton" aria-busy="true">
      <p class="visually-hidden" role="status">
        {label}
      </p>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class="skeleton-row" aria-hidden="true" />
      ))}
    </div>
  );
}

/** An error. The children say what to do next. */
export function ErrorNote({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="note note-error" role="alert">
      <p class="note-title">{title}</p>
      {children !== undefined && <div>{children}</div>}
    </div>
  );
}

/** An empty state. The children say how to fill it. */
export function EmptyNote({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="note note-empty">
      <p class="note-title">{title}</p>
      {children !== undefined && <div>{children}</div>}
    </div>
  );
}

/** The next step after an error: log in if the edge refused, else `otherwise`. */
export function ErrorHint({ fault, otherwise }: { fault: ApiError; otherwise: string }) {
  if (fault.status !== 401 && fault.status !== 403) return <>{otherwise}</>;
  return (
    <>
      <a href="/login">Log in</a> with a token to see more than the overview.
    </>
  );
}
