import { usageView } from "../../shared/model/usage-view.ts";
import { usageViewOf } from "../../shared/price/usage-view.ts";
import { askAllCoordinators } from "./objects.ts";
import type { ApiContext, Route } from "./route.ts";

export const usageRoutes: Route[] = [
  {
    method: "GET",
    path: "/v1/usage",
    access: "reader",
    summary: "What the edge uses of what Cloudflare bills, and what that costs",
    answer: { status: 200, description: "Today so far, and yesterday, by UTC days.", schema: usageView },
    problems: ["CoordinatorUnavailable"],
    handle: readUsage,
  },
];

async function readUsage(context: ApiContext): Promise<Response> {
  const answers = await askAllCoordinators(context, (coordinator) => coordinator.usage());
  const partitions = answers.filter((answer) => answer !== undefined);
  return context.json(usageViewOf(partitions, context.get("settings").PLAN, Date.now()));
}
