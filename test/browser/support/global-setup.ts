import { whyNoBrowser } from "./chromium.ts";

/** Says where there is no browser that its tests do not take part, and fails where every server has to. */
export default function setup(): void {
  const why = whyNoBrowser();
  if (why === undefined) return;
  if (process.env.VEDETTE_ALL_SERVERS !== undefined) throw new Error(why);
  console.warn(why);
}
