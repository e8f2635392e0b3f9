import { accessSync, constants } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const INSTALL = "apt-get install chromium, or set CHROMIUM to the path of one";
const PLACES = ["/usr/bin/chromium", "/Applications/Chromium.app/Contents/MacOS/Chromium"];

/** The zone that the pages of the tests are in: not that of most machines, and not UTC. */
export const ZONE = "Asia/Kathmandu";

/** What keeps it from calling home, and from asking for what a container lacks. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-domain-reliability",
  "--disable-sync",
  "--metrics-recording-only",
  "--no-first-run",
  "--no-default-browser-check",
];

/** The browser's program: what CHROMIUM names, else Debian's path. Undefined without one. */
export function findChromium(): string | undefined {
  const { CHROMIUM } = process.env;
  return (CHROMIUM === undefined ? PLACES : [CHROMIUM]).find(canBeRun);
}

/** Why the tests in a browser cannot take part, and what to do about it; undefined where they can. */
export function whyNoBrowser(): string | undefined {
  if (findChromium() !== undefined) return undefined;
  return `Chromium is not installed: the view is NOT tested in a browser. ${INSTALL}`;
}

/** Starts a headless browser. It ends with this process at the latest, however that ends. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(whyNoBrowser());
  return await chromium.launch({ executablePath, headless: true, args: FLAGS, timeout: 120_000 });
}

function canBeRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
