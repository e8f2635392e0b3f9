import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { ZONE } from "./chromium.ts";

export interface Viewer extends AsyncDisposable {
  page: Page;
  /** What no page may do, as it came: words in the console, errors, breaches of its policy, requests to other origins. */
  faults: string[];
}

/** What one that looks at the view is like. */
export interface ViewerPlan {
  /** Of the edge, or of what stands before it. */
  origin: string;
  theme?: "light" | "dark";
  /** CSS pixels; by default a desk's. */
  width?: number;
  /** Faults that a test brings about on purpose. */
  pardons?: RegExp;
  context?: BrowserContextOptions;
}

const HEIGHT = 900;
const PATIENCE_MS = 90_000;

/** Opens a page in a context of its own, empty as yet, whose faults are noted from its first request on. */
export async function openViewer(browser: Browser, plan: ViewerPlan): Promise<Viewer> {
  const context = await browser.newContext({
    baseURL: plan.origin,
    colorScheme: plan.theme ?? "light",
    reducedMotion: "reduce",
    timezoneId: ZONE,
    locale: "en-GB",
    viewport: { width: plan.width ?? 1280, height: HEIGHT },
    ...plan.context,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  const note = (fault: string) => {
    if (plan.pardons?.test(fault) !== true) faults.push(fault);
  };
  page.on("console", (message) => note(`console.${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => note(`error: ${error.message}`));
  page.on("request", (request) => noteForeign(request.url(), plan.origin, note));
  page.on("websocket", (socket) => noteForeign(socket.url().replace(/^ws/, "http"), plan.origin, note));
  await context.exposeBinding("noteBreach", (_, breach: string) => note(`policy: ${breach}`));
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      const { noteBreach } = window as unknown as { noteBreach: (text: string) => void };
      noteBreach(`${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  return { page, faults, [Symbol.asyncDispose]: () => context.close() };
}

function noteForeign(url: string, origin: string, note: (fault: string) => void): void {
  if (!/^https?:/.test(url) || new URL(url).origin === new URL(origin).origin) return;
  note(`request to ${new URL(url).origin}`);
}
