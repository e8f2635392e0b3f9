import { describe, expect, it } from "vitest";
import { readSettings } from "./settings.ts";

const URL_CANARY = "https://hooks.example.com/services/T0/B0/canary";
const KEY = "canarycanarycanarycanarycanary12";
const SECRET = `whsec_${btoa("canary".repeat(4))}`;
const generic = { name: "ops", kind: "generic", url: URL_CANARY };

function fault(targets: unknown, more: Record<string, string> = {}): string {
  const NOTIFICATIONS = typeof targets === "string" ? targets : JSON.stringify(targets);
  const { faults } = readSettings({ NOTIFICATIONS, ...more });
  return faults.map(({ text }) => text).join("; ") || "none";
}

describe("NOTIFICATIONS", () => {
  it("has its defaults, and is nobody where it is absent or empty", () => {
    const pager = { name: "pager", kind: "pagerduty", routingKey: KEY, minDuration: "5m", hosts: ["*.Example.com."] };
    const targets = readSettings({
      NOTIFICATIONS: JSON.stringify([{ ...generic, secret: SECRET }, pager]),
    }).NOTIFICATIONS;
    expect(targets).toEqual([
      { ...generic, secret: SECRET, minDuration: 60_000, groupWindow: 30_000 },
      {
        ...pager,
        url: "https://events.pagerduty.com/v2/enqueue",
        minDuration: 300_000,
        groupWindow: 30_000,
        hosts: ["*.example.com"],
      },
    ]);
    for (const none of [{}, { NOTIFICATIONS: "" }, { NOTIFICATIONS: "[]" }]) {
      expect(readSettings(none).NOTIFICATIONS).toEqual([]);
    }
  });

  it.each<[unknown, string]>([
    [`[{"url": "${URL_CANARY}"`, "NOTIFICATIONS: must be JSON, a list of targets"],
    [generic, "NOTIFICATIONS: must be a list of targets"],
    [[URL_CANARY], "NOTIFICATIONS[0]: must be an object"],
    [[{ ...generic, kind: "email" }], "NOTIFICATIONS[0].kind: must be one of generic, slack, pagerduty"],
    [[{ name: "ops", url: URL_CANARY }], "NOTIFICATIONS[0].kind: is required"],
    [[{ kind: "generic", url: URL_CANARY }], "NOTIFICATIONS[0].name: is required"],
    [
      [{ ...generic, name: "Ops!" }],
      "NOTIFICATIONS[0].name: must be at most 63 lower-case letters, digits and inner hyphens",
    ],
    [[{ name: "ops", kind: "slack" }], "NOTIFICATIONS[0].url: is required"],
    [[{ ...generic, url: 5 }], "NOTIFICATIONS[0].url: must be a URL"],
    [[{ ...generic, url: `canary ${KEY}` }], "NOTIFICATIONS[0].url: must be a URL"],
    [[generic, { ...generic, name: "b", url: "http://hooks.example.com" }], "NOTIFICATIONS[1].url: must be https"],
    [
      [{ ...generic, url: "https://10.0.0.1/x" }],
      "NOTIFICATIONS[0].url: must name a host: calls to addresses are refused here",
    ],
    [
      [{ ...generic, url: "https://me:canary@hooks.example.com/" }],
      "NOTIFICATIONS[0].url: must not hold a user name or a password",
    ],
    [[{ ...generic, secret: "canary" }], "NOTIFICATIONS[0].secret: must be whsec_ and 24 to 64 bytes in base64"],
    [
      [{ ...generic, secret: "whsec_Y2FuYXJ5" }],
      "NOTIFICATIONS[0].secret: must be whsec_ and 24 to 64 bytes in base64",
    ],
    [[{ ...generic, routingKey: KEY }], "NOTIFICATIONS[0].routingKey: is not a known field"],
    [[{ ...generic, kind: "slack", secret: SECRET }], "NOTIFICATIONS[0].secret: is not a known field"],
    [[{ ...generic, [KEY]: "" }], "NOTIFICATIONS[0].…: is not a known field"],
    [[{ name: "ops", kind: "pagerduty" }], "NOTIFICATIONS[0].routingKey: is required"],
    [
      [{ name: "ops", kind: "pagerduty", routingKey: `${KEY} ` }],
      "NOTIFICATIONS[0].routingKey: must be 1 to 128 letters, digits, _ or -",
    ],
    [
      [{ ...generic, minDuration: "1 minute" }],
      'NOTIFICATIONS[0].minDuration: must be a duration such as "30s" or "1m30s"',
    ],
    [[{ ...generic, groupWindow: "2h" }], "NOTIFICATIONS[0].groupWindow: must be from 0s to 1h"],
    [[{ ...generic, kinds: [] }], "NOTIFICATIONS[0].kinds: must be at least 1 entry long"],
    [
      [{ ...generic, kinds: ["Everything"] }],
      "NOTIFICATIONS[0].kinds[0]: must be one of RecordCritical, RecordDegraded, RegionSilent, ClusterUnreachable, QuotaNear",
    ],
    [[{ ...generic, hosts: [URL_CANARY] }], "NOTIFICATIONS[0].hosts[0]: must be a host name, or *. and one"],
    [
      [{ ...generic, kinds: ["RegionSilent"], hosts: ["example.com"] }],
      "NOTIFICATIONS[0].hosts: limits records, of which kinds has none",
    ],
    [[generic, generic], "NOTIFICATIONS[1].name: is the name of another target too"],
    [
      Array.from({ length: 21 }, (_, n) => ({ ...generic, name: `t${n}` })),
      "NOTIFICATIONS: must be at most 20 entries long",
    ],
  ])("refuses %j", (targets, message) => {
    expect(fault(targets)).toBe(message);
    expect(fault(targets)).not.toMatch(/canary|whsec_[A-Z]|10\.0\.0\.1/);
  });

  it("names every fault, and may name any address where private ones are allowed", () => {
    const wrong = [
      { ...generic, kinds: [] },
      { name: "b", kind: "slack" },
    ];
    expect(fault(wrong)).toBe(
      "NOTIFICATIONS[0].kinds: must be at least 1 entry long; NOTIFICATIONS[1].url: is required",
    );
    const local = [{ ...generic, url: "http://127.0.0.1:8080/x" }];
    expect(fault(local, { ALLOW_PRIVATE_ADDRESSES: "true" })).toBe("none");
  });
});

describe("a slip in who may look, or who is told,", () => {
  it("leaves out the targets that are wrong, and no other", () => {
    const pager = { name: "pager", kind: "pagerduty", routingKey: KEY };
    const settings = readSettings({
      NOTIFICATIONS: JSON.stringify([generic, { ...generic, name: "b", url: "" }, pager, generic]),
    });
    expect(settings.NOTIFICATIONS.map(({ name }) => name)).toEqual(["ops", "pager"]);
    expect(settings.faults.map(({ setting }) => setting)).toEqual(["NOTIFICATIONS", "NOTIFICATIONS"]);
  });

  it("opens nothing, stops nothing, and is told without the value", () => {
    const settings = readSettings({
      ADMIN_TOKEN: "canary",
      VIEW_TOKEN: "canary",
      PUBLIC_READS: "canary",
      PUBLIC_VIEW: "canary",
      PUBLIC_URL: "canary",
      NOTIFICATIONS: "canary",
    });
    expect(settings).toMatchObject({ PUBLIC_READS: false, PUBLIC_VIEW: "off", NOTIFICATIONS: [] });
    expect([settings.ADMIN_TOKEN, settings.VIEW_TOKEN, settings.PUBLIC_URL]).toEqual([undefined, undefined, undefined]);
    expect(settings.faults).toHaveLength(6);
    expect(JSON.stringify(settings)).not.toContain("canary");
  });

  it("takes the view token away where it is the admin token, and not that one", () => {
    const { ADMIN_TOKEN, VIEW_TOKEN, faults } = readSettings({ ADMIN_TOKEN: KEY, VIEW_TOKEN: KEY });
    expect([ADMIN_TOKEN, VIEW_TOKEN]).toEqual([KEY, undefined]);
    expect(faults.map(({ setting }) => setting)).toEqual(["VIEW_TOKEN"]);
  });

  it("is named with those that the edge cannot go on without", () => {
    const wrong = {
      PARTITIONS: "many",
      VIEW_TOKEN: "canary",
      NOTIFICATIONS: JSON.stringify([{ ...generic, url: "" }]),
    };
    expect(() => readSettings(wrong)).toThrow(
      /^The settings of the Worker are invalid\. (?=.*VIEW_TOKEN)(?=.*PARTITIONS).*url/,
    );
  });
});

describe("PUBLIC_URL", () => {
  it("loses the slash at its end, and is refused where nothing can be put after it", () => {
    expect(readSettings({ PUBLIC_URL: "https://vedette.example.com/" }).PUBLIC_URL).toBe("https://vedette.example.com");
    expect(readSettings({}).PUBLIC_URL).toBeUndefined();
    expect(fault([], { PUBLIC_URL: "ftp://x" })).toBe("PUBLIC_URL: must be an http(s) URL");
    expect(fault([], { PUBLIC_URL: "https://x/?a" })).toBe("PUBLIC_URL: must have no query and no fragment");
  });
});
