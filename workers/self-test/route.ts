import type { FieldError } from "../../shared/model/problem.ts";
import {
  type Figures,
  type SelfTestRequest,
  selfTestAnswer,
  selfTestRequest,
  TARGETS_OF,
} from "../../shared/model/self-test.ts";
import type { SocketAddress } from "../../shared/model/socket-address.ts";
import { notProbeable } from "../../shared/probeable.ts";
import { isPortAllowed } from "../allowed-ports.ts";
import { fail } from "../api/answers.ts";
import { readJson } from "../api/body.ts";
import type { ApiContext, Route } from "../api/route.ts";
import { errorMessage } from "../retry.ts";
import type { Settings } from "../settings.ts";
import { withTimeout } from "../timeout.ts";
import { measureHibernation } from "./hibernation.ts";
import { selfTestOf } from "./self-test.ts";
import { measureWakingAlarm } from "./waking-alarm.ts";

/** The longest measurement, and others before it at the same object. */
const LIMIT_MS = 110_000;

export const selfTestRoutes: Route[] = [
  {
    method: "POST",
    path: "/v1/self-test",
    access: "admin",
    summary:
      "Measure one thing of the platform that the edge runs on, with some dozens of dials at most. Nothing of it is counted or kept",
    body: { contentType: "application/json", schema: selfTestRequest },
    answer: { status: 200, description: "What was found, by name.", schema: selfTestAnswer },
    problems: ["MalformedBody", "FieldInvalid", "BodyTooLarge"],
    handle: selfTest,
  },
];

async function selfTest(context: ApiContext): Promise<Response> {
  const request = await readJson(context, selfTestRequest);
  const faults = refusedTargets(request, context.get("settings"));
  if (faults.length > 0) fail("FieldInvalid", undefined, faults);
  return context.json({ figures: await withTimeout(figuresOf(context, request), LIMIT_MS).catch(failure) });
}

/** What the platform would not let be measured is a probeResult too. Nothing in it is secret: the targets are all that was given. */
const failure = (error: unknown): Figures => ({ error: errorMessage(error) });

function figuresOf({ env }: ApiContext, { measurement, region, ...rest }: SelfTestRequest) {
  const fresh = () => selfTestOf(env, region, measurement);
  if (measurement === "hibernation") return measureHibernation(fresh, rest.idleMs);
  if (measurement === "waking-alarm") return measureWakingAlarm(fresh, rest.idleMs);
  return fresh().measure({ measurement, region, ...rest });
}

/** An admin's token is no way to what probes may not reach either. */
function refusedTargets({ measurement, targets }: SelfTestRequest, settings: Settings): FieldError[] {
  return (TARGETS_OF[measurement] ?? []).flatMap((name) => {
    const refusal = refusalOf(targets[name], settings);
    return refusal === undefined ? [] : [{ field: `targets.${name}`, rule: `cannot be dialled: ${refusal}` }];
  });
}

function refusalOf({ address, port }: SocketAddress, settings: Settings): string | undefined {
  const refusal = notProbeable(address, settings.ALLOW_PRIVATE_ADDRESSES);
  if (refusal !== undefined) return refusal;
  return isPortAllowed(port, settings.ALLOWED_PORTS) ? undefined : `ALLOWED_PORTS does not name port ${port}`;
}
