import type { ApiError } from "../api/client.ts";

/** What to do where the edge refused: a token shows more. Otherwise what comes of itself. */
export function WhatNext({ fault, otherwise }: { fault: ApiError; otherwise: string }) {
  if (fault.status !== 401 && fault.status !== 403) return <>{otherwise}</>;
  return (
    <>
      <a href="/login">Log in</a> with a token to see more than the overview.
    </>
  );
}
