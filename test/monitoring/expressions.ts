import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { MONITORING } from "./promtool.ts";

const rules = z.object({
  groups: z.array(z.object({ rules: z.array(z.looseObject({ alert: z.string(), expr: z.string() })) })),
});
const target = z.object({ expr: z.string() });
const dashboard = z.object({
  panels: z.array(z.looseObject({ id: z.int(), title: z.string(), targets: z.array(target).default([]) })),
  templating: z.object({ list: z.array(z.looseObject({ name: z.string(), definition: z.string().optional() })) }),
});

/** An expression of PromQL, by the alert or the panel that it belongs to. */
export interface Expression {
  of: string;
  expr: string;
}

export function alerts(): Expression[] {
  const { groups } = rules.parse(parse(readFileSync(join(MONITORING, "alerts.yaml"), "utf8")));
  return groups.flatMap((group) => group.rules.map(({ alert, expr }) => ({ of: alert, expr })));
}

/** The dashboard as it is written. */
export const readDashboard = () =>
  dashboard.parse(JSON.parse(readFileSync(join(MONITORING, "dashboard.json"), "utf8")));

/** What the panels and the variables of the dashboard ask for, with a value in the place of each variable. */
export function panels(): Expression[] {
  const { panels: shown, templating } = readDashboard();
  const asked = shown.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ of: title, expr: filled(expr) })));
  const variables = templating.list.flatMap(({ name, definition }) => {
    const metric = /^label_values\((\w+), \w+\)$/.exec(definition ?? "")?.[1];
    return metric === undefined ? [] : [{ of: `variable ${name}`, expr: metric }];
  });
  return [...asked, ...variables];
}

const filled = (expr: string) => expr.replaceAll("$__rate_interval", "5m").replace(/\$\w+/g, ".*");

/** A metric with the labels that an expression asks it by. */
export interface Use {
  metric: string;
  labels: { name: string; value: string; isExact: boolean }[];
}

export function usesIn(expr: string): Use[] {
  return [...expr.matchAll(/\b(vedette_\w+)(?:\{([^}]*)\})?/g)].map(([, metric = "", selector = ""]) => ({
    metric,
    labels: [...selector.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, name = "", operator, value = ""]) => ({
      name,
      value,
      isExact: operator === "=" || operator === "!=",
    })),
  }));
}
