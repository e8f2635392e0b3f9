import { describe, expect, it } from "vitest";
import type { Change } from "../../../shared/model/notification.ts";
import { notification } from "../../../shared/model/notification.ts";
import type { NotificationTarget } from "../../../shared/model/notification-target.ts";
import { signatureFault } from "../../../shared/signature.ts";
import { messagesOf } from "../message.ts";
import { capacityOf, requestOf } from "./formats.ts";

const T0 = Date.UTC(2026, 10, 30, 12, 4, 31);
const SECRET = `whsec_${btoa("0123456789abcdef01234567")}`;
const timing = { minDuration: 60_000, groupWindow: 30_000 };
const TARGETS = {
  generic: { kind: "generic", name: "ops", url: "https://hooks.example.com/x", secret: SECRET, ...timing },
  slack: { kind: "slack", name: "chat", url: "https://chat.example.com/x", ...timing },
  pagerduty: { kind: "pagerduty", name: "pager", url: "https://pager.example.com/x", routingKey: "KEY", ...timing },
} satisfies Record<string, NotificationTarget>;

const SENTENCE =
  "198.51.100.20 withheld: 2 of 3 regions (enam, weur) say connect timeout since 12:04:31; 6 failures, threshold 5";
const began: Change = {
  type: "Began",
  incident: "record/api.example.com@7",
  key: "record/api.example.com",
  kind: "RecordDegraded",
  since: T0,
  summary: SENTENCE,
};
const worsened: Change = { ...began, type: "Worsened", kind: "RecordCritical" };
const ended: Change = { ...worsened, type: "Ended", endedAt: T0 + 250_900 };
const silent: Change = {
  ...began,
  incident: "region/weur@8",
  key: "region/weur",
  kind: "RegionSilent",
  summary: "no prober in weur reports since 12:04:31",
};
const unreachable: Change = { ...began, incident: "cluster/east@9", key: "cluster/east", kind: "ClusterUnreachable" };

const VIEW = "https://vedette.example.com";

function callsOf(kind: keyof typeof TARGETS, changes: Change[], publicUrl: string | null = VIEW) {
  const target = TARGETS[kind];
  return messagesOf(target.name, changes, capacityOf(target), T0 + 90_000).map((message) => {
    const { body, ...call } = requestOf(message, target, { publicUrl: publicUrl ?? undefined, nowMs: T0 + 100_000 });
    return { ...call, text: body, body: JSON.parse(body) };
  });
}

describe("generic", () => {
  it("is JSON by its schema, signed, with stable ids", () => {
    const [call, ...more] = callsOf("generic", [began, silent]);
    expect(more).toEqual([]);
    expect(call?.url).toBe("https://hooks.example.com/x");
    expect(call?.body).toEqual({
      version: 1,
      id: "notification_36815f9db647c838",
      at: T0 + 90_000,
      target: "ops",
      changes: [
        {
          ...began,
          severity: "warning",
          title: "api.example.com: an unhealthy address is out of DNS, or kept in it",
          link: "https://vedette.example.com/records/api.example.com",
        },
        {
          ...silent,
          severity: "warning",
          title: "weur: no prober of this region reports",
          link: "https://vedette.example.com/regions",
        },
      ],
    });
    expect(notification.safeParse(call?.body).success).toBe(true);
    const { headers = {}, text: body = "" } = call ?? {};
    const signed = {
      webhookId: headers["webhook-id"],
      webhookTimestamp: headers["webhook-timestamp"],
      webhookSignature: headers["webhook-signature"],
      body,
    };
    expect(signatureFault(signed, [SECRET], T0 + 100_000)).toBeUndefined();
    expect(headers["webhook-id"]).toBe("notification_36815f9db647c838");
  });

  it("tells the end of the worst that was", () => {
    expect(callsOf("generic", [ended], null)[0]?.body.changes).toEqual([
      { ...ended, severity: "critical", title: "api.example.com: no healthy address is left" },
    ]);
  });

  it("goes into several messages of a hundred changes", () => {
    const many = Array.from({ length: 250 }, (_, n) => ({ ...began, incident: `record/${n}@7` }));
    const calls = callsOf("generic", many);
    expect(calls.map(({ body }) => body.changes.length)).toEqual([100, 100, 50]);
    expect(new Set(calls.map(({ body }) => body.id)).size).toBe(3);
  });

  it("has its id also without a secret, and then no signature", () => {
    const target = { kind: "generic", name: "ops", url: "https://hooks.example.com/x", ...timing } as const;
    const [message] = messagesOf("ops", [began], capacityOf(target), T0);
    const call = message && requestOf(message, target, { publicUrl: undefined, nowMs: T0 });
    expect(call?.headers).toEqual({ "content-type": "application/json", "webhook-id": message?.id });
  });
});

describe("slack", () => {
  it("has a text and a block for each change, with links", () => {
    expect(callsOf("slack", [began, worsened, ended, unreachable]).map(({ url, body }) => ({ url, body }))).toEqual([
      {
        url: "https://chat.example.com/x",
        body: {
          text: "Warning: api.example.com: an unhealthy address is out of DNS, or kept in it (and 3 more)",
          blocks: [
            section(
              `:large_yellow_circle: *Warning* <https://vedette.example.com/records/api.example.com|api.example.com: an unhealthy address is out of DNS, or kept in it>\n${SENTENCE}`,
            ),
            section(
              `:red_circle: *Now critical* <https://vedette.example.com/records/api.example.com|api.example.com: no healthy address is left>\n${SENTENCE}`,
            ),
            section(
              ":large_green_circle: *Over after 4m10s* <https://vedette.example.com/records/api.example.com|api.example.com: no healthy address is left>",
            ),
            section(
              `:large_orange_circle: *Error* <https://vedette.example.com/clusters|east: deliveries to this cluster fail>\n${SENTENCE}`,
            ),
          ],
        },
      },
    ]);
  });

  it("escapes what has a meaning there, also where it is cut off, and has no link without the view's address", () => {
    const [call] = callsOf("slack", [{ ...silent, key: "region/<a&b>", summary: `<@U1> & ${"&".repeat(900)}` }], null);
    const text: string = call?.body.blocks[0].text.text;
    expect(
      text.startsWith(
        ":large_yellow_circle: *Warning* &lt;a&amp;b&gt;: no prober of this region reports\n&lt;@U1&gt; &amp; &amp;",
      ),
    ).toBe(true);
    expect(text.endsWith("&amp;…")).toBe(true);
    expect(text.length).toBeLessThan(3_000);
    expect(call?.body.text).toBe("Warning: &lt;a&amp;b&gt;: no prober of this region reports");
  });

  it("lists twenty changes and counts the rest", () => {
    const many = Array.from({ length: 1_000 }, (_, n) => ({ ...began, incident: `record/${n}@7` }));
    const calls = callsOf("slack", many);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.body.blocks).toHaveLength(21);
    expect(calls[0]?.body.blocks[20]).toEqual({
      type: "context",
      elements: [{ type: "mrkdwn", text: "and 980 more" }],
    });
    expect(calls[0]?.body.text).toMatch(/ \(and 999 more\)$/);
  });
});

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });

describe("pagerduty", () => {
  it("triggers and resolves under one key, an event for each change", () => {
    const event = { routing_key: "KEY", dedup_key: "vedette/record/api.example.com@7" };
    const trigger = {
      ...event,
      event_action: "trigger",
      client: "Vedette",
      client_url: VIEW,
      links: [{ href: "https://vedette.example.com/records/api.example.com", text: "api.example.com" }],
    };
    const payload = {
      source: "api.example.com",
      timestamp: "2026-11-30T12:04:31.000Z",
      custom_details: { why: SENTENCE },
    };
    const degraded = "Warning: api.example.com: an unhealthy address is out of DNS, or kept in it";
    const critical = "Now critical: api.example.com: no healthy address is left";
    expect(callsOf("pagerduty", [began, worsened, ended]).map(({ body }) => body)).toEqual([
      { ...trigger, payload: { ...payload, summary: degraded, severity: "warning", class: "RecordDegraded" } },
      { ...trigger, payload: { ...payload, summary: critical, severity: "critical", class: "RecordCritical" } },
      { ...event, event_action: "resolve" },
    ]);
  });

  it("has no links without the view's address, and the severity of its kind", () => {
    const [call] = callsOf("pagerduty", [unreachable], null);
    expect(call?.body).not.toHaveProperty("links");
    expect(call?.body).not.toHaveProperty("client_url");
    expect(call?.body.payload.severity).toBe("error");
  });

  it("keeps its key within 255 characters, the same each time", () => {
    const long = { ...began, incident: `record/${"a".repeat(253)}@1796028083455` };
    const keys = [long, { ...long, type: "Ended" as const }].map(
      (change) => callsOf("pagerduty", [change])[0]?.body.dedup_key,
    );
    expect(keys[0]).toMatch(/^vedette\/[0-9a-f]{16}$/);
    expect(keys[1]).toBe(keys[0]);
  });
});
