import type { Command } from "commander";
import { usageView } from "../../shared/model/usage-view.ts";
import { addExamples, type Run } from "../command.ts";
import { EXIT } from "../exit.ts";
import { costText } from "../output/cost-text.ts";

/** `vedette cost` */
export function addCost(program: Command, run: Run): void {
  const cost = program
    .command("cost")
    .summary("what the edge uses, and what that costs a month")
    .description(
      "Shows what the edge's objects use of what Cloudflare bills, as they count it themselves: yesterday, or today so far where yesterday was not counted whole, and what a month costs that goes on like this, by list prices. Then what dominates, what the plan includes or allows, and what Route 53 would take for the same checks.",
    )
    .action((_: object, command: Command) =>
      run(command, async (session) => {
        const seen = await session.edge.get("/v1/usage", usageView);
        session.show(seen, () => costText(seen));
        return EXIT.Fine;
      }),
    );
  addExamples(cost, [
    ["vedette cost", "what a month costs at this pace, and why"],
    ["vedette cost -o json | jq .endpointMonthUsd", "USD for each endpoint and month"],
    ["vedette cost -o yaml", "all that is counted, by region too"],
  ]);
}
