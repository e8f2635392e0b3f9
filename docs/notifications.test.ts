import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Change, notification } from "../shared/model/notification.ts";
import type { NotificationTarget } from "../shared/model/notification-target.ts";
import { requestOf } from "../workers/notifier/formats/formats.ts";
import { readSettings } from "../workers/settings.ts";

const page = readFileSync(join(import.meta.dirname, "notifications.md"), "utf8");

/** The blocks of JSON below a heading. */
function examplesOf(heading: string): unknown[] {
  const section = page.split(/^#+ /m).find((text) => text.startsWith(heading)) ?? "";
  return [...section.matchAll(/```json\n(.*?)```/gs)].map(([, json = ""]) => JSON.parse(json));
}

const SINCE = Date.UTC(2026, 10, 30, 12, 4, 31);
const began: Change = {
  type: "Began",
  incident: "record/api.example.com@1796040272412",
  key: "record/api.example.com",
  kind: "RecordDegraded",
  since: SINCE,
  summary:
    "198.51.100.20 withheld: 2 of 3 regions (enam, weur) say connect timeout since 12:04:31; 6 failures, threshold 5",
};
const ended: Change = { ...began, type: "Ended", endedAt: SINCE + 250_000 };

const targets = readSettings({ NOTIFICATIONS: JSON.stringify(examplesOf("Targets")[0]) }).NOTIFICATIONS;

function bodyOf(kind: NotificationTarget["kind"], change: Change): unknown {
  const target = targets.find((one) => one.kind === kind);
  if (target === undefined) throw new Error(`no target of the kind ${kind} on the page`);
  const message = { id: "notification_36815f9db647c838", at: SINCE + 60_000, changes: [change], more: 0 };
  const around = { publicUrl: "https://vedette.example.com", nowMs: SINCE + 60_000 };
  return JSON.parse(requestOf(message, target, around).body);
}

describe("docs/notifications.md", () => {
  it("shows targets that the edge takes", () => {
    expect(targets.map(({ kind }) => kind)).toEqual(["generic", "slack", "pagerduty"]);
  });

  it("shows generic messages as they are sent", () => {
    const examples = examplesOf("generic");
    expect(examples).toEqual([bodyOf("generic", began)]);
    expect(notification.safeParse(examples[0]).success).toBe(true);
  });

  it("shows Slack's as they are sent", () => {
    expect(examplesOf("slack")).toEqual([bodyOf("slack", began)]);
  });

  it("shows PagerDuty's as they are sent, with the end", () => {
    expect(examplesOf("pagerduty")).toEqual([bodyOf("pagerduty", began), bodyOf("pagerduty", ended)]);
  });
});
