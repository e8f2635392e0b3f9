import { overview } from "../../shared/model/overview.ts";

/** The result of one check of a deployed edge. */
export interface Check {
  name: string;
  /** What is wrong; absent if the check passed. */
  fault?: string;
  /** Something to know that is no fault. */
  note?: string;
}

const LIMIT_MS = 15_000;

/** Headers of the dashboard, as in dashboard/public/_headers. */
const VIEW_HEADERS: Readonly<Record<string, RegExp>> = {
  "content-security-policy": /default-src 'none'.*frame-ancestors 'none'/,
  "strict-transport-security": /max-age=\d+/,
  "x-content-type-options": /^nosniff$/,
  "referrer-policy": /^no-referrer$/,
};

/**
 * Checks a deployed edge as its users would use it. With the checks of an earlier try, it repeats only those with a
 * fault. An edge accepts few wrong tokens from one address, and a new token is wrong until it has reached every
 * location. `token` is that of an admin or viewer; without it one check is left out.
 */
export async function smokeTest(url: URL, token: string | undefined, before: readonly Check[] = []): Promise<Check[]> {
  const asks: [name: string, ask: () => Promise<Found>][] = [
    ["healthz", () => healthz(url)],
    ["the view", () => view(url)],
    ["refusal without a token", () => refusal(url)],
    ["refusal of a wrong token", () => refused(url, "/v1/clusters", "vedette-smoke-test-wrong-token")],
    ["the overview with a token", async () => (token === undefined ? SKIPPED : overviewWith(url, token))],
  ];
  const checks: Check[] = [];
  for (const [name, ask] of asks) {
    const earlier = before.find((one) => one.name === name && one.fault === undefined);
    checks.push(earlier ?? (await check(name, ask)));
  }
  return checks;
}

type Found = Omit<Check, "name">;

const SKIPPED: Found = { note: "skipped: set VEDETTE_TOKEN to an admin or view token" };

async function check(name: string, ask: () => Promise<Found>): Promise<Check> {
  try {
    return { name, ...(await ask()) };
  } catch (error) {
    return { name, fault: `the edge cannot be reached: ${causeOf(error)}` };
  }
}

/** Redirects are not followed, since the token is only for this edge. */
const get = (url: URL, path: string, token?: string): Promise<Response> =>
  fetch(new URL(path, url), {
    redirect: "manual",
    signal: AbortSignal.timeout(LIMIT_MS),
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  });

async function healthz(url: URL): Promise<Found> {
  const response = await get(url, "/healthz");
  const [first, ...faults] = (await response.text()).trim().split("\n");
  if (response.status !== 200 || first !== "ok")
    return { fault: `it answers ${response.status} ${first?.slice(0, 300)}` };
  return faults.length === 0 ? {} : { note: faults.join("; ") };
}

async function view(url: URL): Promise<Found> {
  const response = await get(url, "/");
  const page = await response.text();
  if (response.status !== 200) return { fault: `/ answers ${response.status}` };
  const lacking = Object.entries(VIEW_HEADERS).filter(([name, right]) => !right.test(response.headers.get(name) ?? ""));
  if (lacking.length > 0) return { fault: `/ has a wrong or missing ${lacking.map(([name]) => name).join(", ")}` };
  const scripts = [...page.matchAll(/\bsrc="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? "");
  if (scripts.length === 0) return { fault: "/ contains no script of the dashboard" };
  for (const path of scripts) {
    const { status, headers } = await get(url, path);
    if (status !== 200 || !/javascript/.test(headers.get("content-type") ?? ""))
      return { fault: `${path} answers ${status}` };
  }
  return {};
}

async function refusal(url: URL): Promise<Found> {
  const response = await get(url, "/v1/overview");
  await response.body?.cancel();
  const isOpen = response.status === 200;
  const clusters = await refused(url, "/v1/clusters");
  if (isOpen) return { note: "/v1/overview is open to everyone through PUBLIC_VIEW or PUBLIC_READS", ...clusters };
  return response.status === 401 ? clusters : { fault: `/v1/overview answers ${response.status} instead of 401` };
}

async function refused(url: URL, path: string, token?: string): Promise<Found> {
  const response = await get(url, path, token);
  await response.body?.cancel();
  return response.status === 401 ? {} : { fault: `${path} answers ${response.status} instead of 401` };
}

async function overviewWith(url: URL, token: string): Promise<Found> {
  const response = await get(url, "/v1/overview", token);
  if (response.status !== 200)
    return { fault: `it answers ${response.status}: ${(await response.text()).slice(0, 300)}` };
  return overview.safeParse(await response.json()).success
    ? {}
    : { fault: "the response does not match this version of the edge" };
}

/** Node hides the cause in a `TypeError: fetch failed`. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}
