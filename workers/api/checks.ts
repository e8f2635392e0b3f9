import { type CheckFromRegion, type CheckRequest, checkAnswer, checkRequest } from "../../shared/model/check-now.ts";
import { parseDurationMs } from "../../shared/model/duration.ts";
import type { Probe } from "../../shared/model/probe.ts";
import type { Region } from "../../shared/model/region.ts";
import { outcomeOf } from "../../shared/reason.ts";
import { proberOf } from "../env.ts";
import { SLOT_WAIT_MS } from "../prober/check/on-demand-check.ts";
import { errorMessage } from "../retry.ts";
import { withTimeout } from "../timeout.ts";
import { checkProbe } from "./check-probe.ts";
import { readJson } from "./request.ts";
import { fail } from "./responses.ts";
import type { ApiContext, Route } from "./route.ts";

/**
 * Time beyond the check and its wait for a slot. It covers the network path to a distant prober and the creation of its
 * object.
 */
const GRACE_MS = 5_000;

export const checkRoutes: Route[] = [
  {
    method: "POST",
    path: "/v1/checks",
    access: "admin",
    summary: "Check one address once, now, from some regions. The results are not stored or counted",
    body: { contentType: "application/json", schema: checkRequest },
    answer: {
      status: 200,
      description: "The result of each region, in the order of the request.",
      schema: checkAnswer,
    },
    problems: ["MalformedBody", "FieldInvalid", "BodyTooLarge"],
    handle: checkOnce,
  },
];

async function checkOnce(context: ApiContext): Promise<Response> {
  const request = await readJson(context, checkRequest);
  const id = `check/${crypto.randomUUID()}`;
  const asked = checkProbe(request, id, context.get("settings").ALLOW_PRIVATE_ADDRESSES);
  if (!asked.ok) return fail("FieldInvalid", undefined, asked.errors);
  const { probe } = asked;
  const results = await Promise.all(request.regions.map((region) => fromRegion(context, region, probe, request)));
  return context.json({ results });
}

/** If the prober of a region cannot be reached, its result is indeterminate. The other regions still report theirs. */
async function fromRegion(
  { env }: ApiContext,
  region: Region,
  probe: Probe,
  { timeout }: CheckRequest,
): Promise<CheckFromRegion> {
  const limitMs = (parseDurationMs(timeout) ?? 0) + SLOT_WAIT_MS + GRACE_MS;
  try {
    const checked = await withTimeout(proberOf(env, `${region}/check`, region).checkNow(region, probe), limitMs);
    return { region, outcome: outcomeOf(checked.observation.reason), ...checked };
  } catch (error) {
    console.error(`The prober that checks from ${region} does not answer: ${errorMessage(error)}`);
    return { region, outcome: "indeterminate" };
  }
}
