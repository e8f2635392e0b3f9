import type { Command } from "commander";
import type { Objects, Usage } from "../../shared/model/usage.ts";
import { type DayView, type UsageView, usageView } from "../../shared/model/usage-view.ts";
import { amountsOf, DAYS_A_MONTH, ITEM_WORDS, ITEMS, PLAN_USD, type PricedItem } from "../../shared/price/prices.ts";
import { byObjects } from "../../shared/usage/tally.ts";
import { addExamples, type Run } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { table } from "../output/table.ts";

/** `vedette cost` */
export function addCost(program: Command, run: Run): void {
  const cost = program
    .command("cost")
    .summary("what the edge uses, and what that costs a month")
    .description(
      "Shows the billed use of the edge's objects, as they count it themselves. It covers yesterday, or today so far if yesterday was not counted whole. It adds the price of a month like this, by list prices. Then what dominates, what the plan includes or allows, and what Route 53 would take for the same checks.",
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

const HEAD = ["", ...ITEMS.map((item) => ITEM_WORDS[item].toUpperCase()), "USD A MONTH"];
/** The number of parts that are named. */
const MOST = 3;

/** Formats the usage of the edge and its cost as text. */
export function costText(seen: UsageView): string {
  const day = (seen.pace === "yesterday" && seen.yesterday) || seen.today;
  return [headLine(seen, day), "", table(HEAD, rowsOf(seen, day)), "", ...sentences(seen, day)].join("\n");
}

function headLine({ endpoints, pace, pricesAsOf }: UsageView, { days }: DayView): string {
  const counted = pace === "yesterday" ? "yesterday" : `today so far (${hours(days)})`;
  return `${count(endpoints)} endpoint${endpoints === 1 ? "" : "s"} · a month that goes on like ${counted} · list prices of ${pricesAsOf}`;
}

function rowsOf({ limits, plan }: UsageView, day: DayView): string[][] {
  const month = (used: Usage) => {
    const amounts = amountsOf(used);
    return ITEMS.map((item) => count((amounts[item] * DAYS_A_MONTH) / day.days));
  };
  const kinds = byObjects(day).map(({ objects, used }) => [objects, ...month(used), usd(usdOf(day, objects))]);
  const all = ["all", ...month(day.total), usd(day.monthUsd)];
  const limitOf = (item: PricedItem) => count(limits.find((limit) => limit.item === item)?.limit ?? 0);
  return plan === "paid" ? [...kinds, all, ["included", ...ITEMS.map(limitOf), ""]] : [...kinds, all];
}

const usdOf = ({ parts }: DayView, objects: Objects): number =>
  parts.reduce((sum, part) => sum + (part.objects === objects ? part.monthUsd : 0), 0);

function sentences(seen: UsageView, day: DayView): string[] {
  const { endpointMonthUsd, route53Usd, plan } = seen;
  const most = day.parts.filter(({ monthUsd }) => monthUsd > 0).slice(0, MOST);
  const words = most.map(
    (part) => `${ITEM_WORDS[part.item]} of ${part.objects} ${percent(part.monthUsd, day.monthUsd)}`,
  );
  return [
    ...(endpointMonthUsd === undefined ? [] : [`An endpoint costs ${usd(endpointMonthUsd)} a month.`]),
    ...(words.length === 0 ? [] : [`What dominates: ${words.join(", ")}.`]),
    plan === "paid" ? paidLine(seen) : freeLine(seen),
    `Route 53 would take ${usd(route53Usd)} a month for the same checks.`,
  ];
}

function paidLine({ beyondIncludedUsd }: UsageView): string {
  const plan = `The paid plan takes ${usd(PLAN_USD)} a month for the whole account`;
  return beyondIncludedUsd === 0
    ? `${plan}, and includes all of this.`
    : `${plan}; beyond what it includes this is ${usd(beyondIncludedUsd)}.`;
}

function freeLine({ limits }: UsageView): string {
  const shares = limits.map(({ item, used, limit }) => `${ITEM_WORDS[item]} ${percent(used, limit)}`);
  return `Of what the free plan allows in a day, used today: ${shares.join(", ")}. Beyond it nothing is probed until 00:00 UTC.`;
}

const count = (amount: number): string => Math.round(amount).toLocaleString("en");
const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`;
const hours = (days: number): string =>
  days < 1 / 24 ? `${Math.round(days * 1_440)} min` : `${Math.round(days * 24)} h`;
/** Small amounts are shown to a hundredth of a cent. */
const usd = (amount: number): string => `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
