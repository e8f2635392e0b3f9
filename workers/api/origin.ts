import type { ApiContext } from "./route.ts";

/**
 * Whether a browser says that another origin sent the request. Hosts are compared, for what ends TLS before the Worker
 * changes the scheme. Who sends no Origin is no browser, or reads from the page itself.
 */
export function isForeign({ req }: ApiContext): boolean {
  const origin = req.header("origin");
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== new URL(req.url).host;
}
