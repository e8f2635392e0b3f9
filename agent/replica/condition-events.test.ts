import { describe, expect, it } from "vitest";
import type { StatusCondition } from "../../shared/model/condition.ts";
import type { State } from "../status/state.ts";
import { publishedEvent, transitions } from "./condition-events.ts";

/** `Type Status Reason`, with a message where one is given after a colon. */
function conditionOf(text: string): StatusCondition {
  const [head = "", ...words] = text.split(": ");
  const message = words.join(": ");
  const [type = "", status, reason = ""] = head.split(" ");
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  return { type, status: status as StatusCondition["status"], reason, message, lastTransitionTime };
}

const records = (conditions: string) =>
  ({ "shop/api": { status: { conditions: conditions.split("; ").map(conditionOf) } } }) as unknown as State["records"];

function told(before: string, after: string): string[] {
  const events = transitions(before === "" ? {} : records(before), records(after));
  return events.map(({ key, event }) => `${key} ${event.type} ${event.reason}: ${event.message}`);
}

describe("a transition that is told", () => {
  it.each([
    [
      "a verdict that turns for the worse",
      "Healthy True Healthy",
      "Healthy False PartiallyHealthy: Unhealthy: 192.0.2.1.",
      "shop/api Warning PartiallyHealthy: Unhealthy: 192.0.2.1.",
    ],
    [
      "from bad to worse",
      "Healthy False PartiallyHealthy",
      "Healthy False Unhealthy: all of them",
      "shop/api Warning Unhealthy: all of them",
    ],
    [
      "the first verdict",
      "Healthy Unknown Pending: Pending: 192.0.2.1.",
      "Healthy True Healthy",
      "shop/api Normal Healthy: Healthy is True (Healthy).",
    ],
    [
      "a recovery, with words of its own",
      "Healthy False Unhealthy: all",
      "Healthy True Healthy",
      "shop/api Normal Healthy: Healthy is True again (Healthy).",
    ],
    [
      "a refusal",
      "Accepted True Accepted",
      "Accepted False Invalid: endpoints: a cycle",
      "shop/api Warning Invalid: endpoints: a cycle",
    ],
    [
      "silence of the edge",
      "EdgeReachable True Contact",
      "EdgeReachable False NoContact: No delivery for 5m.",
      "shop/api Warning NoContact: No delivery for 5m.",
    ],
    [
      "the edge heard after a silence, by a name that says so",
      "EdgeReachable False NoContact",
      "EdgeReachable True Contact",
      "shop/api Normal EdgeReachable: EdgeReachable is True again (Contact).",
    ],
    [
      "headers that cannot be used, of which nothing was said while they could",
      "Accepted True Accepted",
      "Accepted True Accepted; HeadersReady False SecretUnusable: does not exist",
      "shop/api Warning SecretUnusable: does not exist",
    ],
    [
      "headers that can be used again",
      "Accepted True Accepted; HeadersReady False SecretUnusable: does not exist",
      "Accepted True Accepted",
      "shop/api Normal HeadersReady: The Secret of its headers can be used.",
    ],
  ])("%s", (_, before, after, event) => {
    expect(told(before, after)).toEqual([event]);
  });
});

describe("what is not told", () => {
  it.each([
    ["a record that is seen for the first time", "", "Healthy False Unhealthy"],
    ["a condition that is seen for the first time", "Accepted True Accepted", "Healthy False Unhealthy"],
    ["another message alone", "Healthy False Unhealthy: a", "Healthy False Unhealthy: b"],
    ["what is not known yet", "Healthy True Healthy", "Healthy Unknown Pending"],
    ["the edge heard for the first time after a start", "EdgeReachable Unknown Awaited", "EdgeReachable True Contact"],
    ["a condition that follows from others", "Ready True Ready", "Ready False Unhealthy"],
  ])("%s", (_, before, after) => {
    expect(told(before, after)).toEqual([]);
  });
});

describe("what reached DNS", () => {
  const change = { rootHost: "api.test", added: [], removed: [], leaves: [], targets: [] };

  it("is a warning where an address left, and else not", () => {
    const [lost, gained] = [{ removed: ["192.0.2.1"] }, { added: ["192.0.2.1"] }].map((one) =>
      publishedEvent({ ...change, ...one } as unknown as Parameters<typeof publishedEvent>[0]),
    );
    expect(lost).toMatchObject({ type: "Warning", reason: "EndpointsWithdrawn" });
    expect(gained).toMatchObject({ type: "Normal", reason: "EndpointsPublished" });
    const conflict = conditionOf("PublisherConflict True OtherOwner: them");
    expect(publishedEvent(change as unknown as Parameters<typeof publishedEvent>[0], conflict)).toEqual({
      type: "Warning",
      reason: "PublisherConflict",
      message: "them",
    });
  });
});
