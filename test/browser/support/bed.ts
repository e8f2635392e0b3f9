import type { Browser } from "playwright-core";
import { type Event, event } from "../../../shared/model/event.ts";
import { startWorld, type World, type WorldPlan } from "../../e2e/support/stack.ts";
import { launchChromium } from "./chromium.ts";
import { openViewer, type Viewer, type ViewerPlan } from "./viewer.ts";

export type LoggedEvent = Event & { partition: number };

/** The local stack, and a browser to look at it with. */
export interface Bed {
  world: World;
  browser: Browser;
  /** A page of the edge itself, where the plan names no other origin. */
  open(plan?: Partial<ViewerPlan>): Promise<Viewer>;
  /** The newest events as scripts read them, oldest first. */
  events(last?: number): Promise<LoggedEvent[]>;
  stop(): Promise<void>;
}

export async function makeBed(plan: WorldPlan): Promise<Bed> {
  const world = await startWorld(plan);
  let browser: Browser;
  try {
    browser = await launchChromium();
  } catch (error) {
    await world.stop();
    throw error;
  }
  return {
    world,
    browser,
    open: (more = {}) => openViewer(browser, { origin: world.stack.edgeUrl, ...more }),
    async events(last = 500) {
      const answer = (await world.stack.readEdge(`/v1/events?last=${last}`)) as { events: LoggedEvent[] } | undefined;
      return (answer?.events ?? []).map((one) => ({ ...event.loose().parse(one), partition: one.partition }));
    },
    async stop() {
      await Promise.allSettled([browser.close(), world.stop()]);
    },
  };
}

/** What of a sentence is the same from one round to the next: failures, and successes, are counted on. */
export const withoutCounts = (text: string): string => text.replace(/\d+ (failure|success)(es|s)?/g, "n $1(s)");
