import type { Page } from "playwright-core";
import { until } from "../../e2e/support/until.ts";

/** The row of a record in the overview. */
export const row = (host: string): string => `[data-host="${host}"]`;

/** The sentence of a leaf on the page of its record. */
export const sentence = (leaf: string): string => `[data-leaf="${leaf}"] [data-sentence]`;

export async function connection(page: Page, state: "live" | "polling" | "stale"): Promise<void> {
  await page.locator(`[role=status][data-connection="${state}"]`).waitFor({ state: "attached" });
}

export async function rowState(page: Page, host: string, ...states: string[]): Promise<void> {
  const any = states.map((state) => `${row(host)}[data-state="${state}"]`).join(", ");
  await page.locator(any).first().waitFor();
}

/** A state of a row, and when it came to be there, by the clock of this machine. Unix ms. */
export interface LogOnChange {
  state: string | undefined;
  at: number;
}

/** Notes from now on each state that a row of the page comes to have, with its time, in the page itself. */
export async function noteStates(page: Page, host: string): Promise<() => Promise<LogOnChange[]>> {
  await page.evaluate((selector) => {
    const noted: LogOnChange[] = [];
    const look = () => {
      const state = document.querySelector<HTMLElement>(selector)?.dataset.state;
      if (noted.at(-1)?.state !== state) noted.push({ state, at: Date.now() });
    };
    look();
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
    (window as unknown as { noted: LogOnChange[] }).noted = noted;
  }, row(host));
  return () => page.evaluate(() => (window as unknown as { noted: LogOnChange[] }).noted);
}

/** When the row last came from one state to one of others; waits for it. */
export async function notedAt(
  notes: () => Promise<LogOnChange[]>,
  from: string,
  to: readonly string[],
): Promise<number> {
  let seen: LogOnChange[] = [];
  const noted = await until(
    `the row to become ${to.join(" or ")}`,
    async () => {
      seen = await notes();
      const left = seen.findLastIndex(({ state }) => state === from);
      return seen.slice(left + 1).find(({ state }) => state !== undefined && to.includes(state));
    },
    undefined,
    () => seen,
  );
  return noted.at;
}

/** The keys of the events that the page shows, as they stand in it. */
export async function shownEvents(page: Page): Promise<string[]> {
  return await page
    .locator("[data-event]")
    .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.event ?? ""));
}
