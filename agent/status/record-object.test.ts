import { describe, expect, it } from "vitest";
import type { Condition } from "../../shared/model/condition.ts";
import { dnsRecordStatus } from "../../shared/model/dns-record.ts";
import { startController } from "../../test/support/agent/core.ts";
import { delivered, delivery } from "../../test/support/agent/delivered.ts";
import { dnsRecord, NOW, type RecordGiven, recordsOf } from "../../test/support/agent/kube-objects.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { digestOf } from "../plan/accepted-specs.ts";
import { inactiveRecordStatus, recordObjectStatus } from "./record-object.ts";

const [A, B] = ["192.0.2.1", "192.0.2.2"] as const;

interface Story {
  given?: Partial<RecordGiven>;
  decisions?: unknown[];
  /** The edge's word on the spec as it is. */
  answer?: Condition;
  extra?: Condition[];
  /** Statuses written before. */
  before?: unknown;
}

async function statusOf({ given = {}, decisions, answer, extra = [], before }: Story) {
  const { core } = startController();
  const source = recordsOf([dnsRecord({ name: "x", ...given })]);
  await core.takeSource({ complete: true, ...source });
  const [record] = source.records;
  if (decisions !== undefined) await core.takeDelivery(delivery({ epoch: 1, n: 1 }, decisions));
  if (answer !== undefined) {
    await core.takeAnswers([{ key: "shop/x", digest: digestOf(record!.specInput), condition: answer }]);
  }
  const object: KubeObject = { ...dnsRecord({ name: "x" }), status: before };
  const status = recordObjectStatus({
    record: record!,
    state: core.state.records["shop/x"]!,
    host: core.state.hosts["x.test"],
    cluster: "here",
    extra,
    object,
    refreshTimes: false,
    nowMs: NOW,
  });
  expect(dnsRecordStatus.parse(status)).toEqual(status);
  const conditions = Object.fromEntries(status.conditions.map((one) => [one.type, one]));
  return { ...status, conditions };
}

const accepted = (status: Condition["status"], reason = "Accepted"): Condition => ({
  type: "Accepted",
  status,
  reason,
  message: "",
});
const healthy = () => delivered("x.test", [A, B]);

describe("the status of a record", () => {
  it("leaves out what the edge says again anyway, where the API server could not hold it", async () => {
    const targets = Array.from(
      { length: 100 },
      (_, n) => `2001:db8:aaaa:bbbb:cccc:dddd:eeee:${(n + 4096).toString(16)}`,
    );
    const endpoints = Array.from({ length: 250 }, (_, n) => ({
      dnsName: `set-${n}.x.test`,
      recordType: "AAAA" as const,
      recordTTL: 60,
      targets,
    }));
    const status = await statusOf({ decisions: [{ ...healthy(), endpoints: [...healthy().endpoints, ...endpoints] }] });
    expect(status.published).toHaveLength(1);
    expect([status.decision, status.probes]).toEqual([undefined, undefined]);
  });

  it("says what is in DNS, what was decided, and how each leaf does", async () => {
    const status = await statusOf({
      decisions: [delivered("x.test", [A], { unhealthy: [B] })],
      answer: accepted("True"),
    });
    expect(status).toMatchObject({
      observedGeneration: 1,
      published: [{ dnsName: "x.test", targets: [A] }],
      decision: { whenSilent: "Publish", decidedAt: "1970-01-01T00:00:00.001Z", shares: [{ cluster: "here" }] },
      probes: [
        { leaf: A, verdict: "Healthy" },
        { leaf: B, verdict: "Unhealthy", consecutiveFailures: 3 },
      ],
      summary: { published: "1/2", unhealthy: B },
      conditions: {
        Accepted: { status: "True", observedGeneration: 1 },
        Ready: { status: "True", reason: "Published" },
        Healthy: { status: "False", reason: "PartiallyHealthy", message: `Unhealthy: ${B}.` },
        EdgeReachable: { status: "True" },
      },
    });
    expect(status).not.toHaveProperty("lastAccepted");
  });

  it.each<[string, Story, Partial<Condition>]>([
    ["nobody has decided it", {}, { status: "False", reason: "Undecided" }],
    ["no leaf is proven", { decisions: [delivered("x.test", [])] }, { status: "False", reason: "NothingPublished" }],
    ["it is in DNS", { decisions: [healthy()] }, { status: "True", reason: "Published", message: "" }],
    [
      "the edge refuses it and never took another form",
      { decisions: [healthy()], answer: accepted("False", "HostNotAllowed") },
      { status: "False", reason: "NotAccepted", message: expect.stringContaining("Nothing of it is published") },
    ],
    [
      "another owner publishes it",
      {
        decisions: [healthy()],
        extra: [{ type: "PublisherConflict", status: "True", reason: "OwnedByAnother", message: "owner: them" }],
      },
      { status: "False", reason: "PublisherConflict", message: "owner: them" },
    ],
  ])("is, when %s, with Ready", async (_, story, ready) => {
    const { conditions } = await statusOf(story);
    expect(conditions.Ready).toMatchObject(ready);
  });

  it.each([
    ["OtherOwner", "0/2"],
    ["ForeignObject", "0/2"],
    ["ContestedObject", "2/2"],
  ])("counts in its summary what it has in DNS itself, with a conflict %s", async (reason, published) => {
    const conflict: Condition = { type: "PublisherConflict", status: "True", reason, message: "them" };
    const status = await statusOf({ decisions: [healthy()], extra: [conflict] });
    expect(status.summary).toEqual({ published });
  });

  it("keeps the time of a condition while its status does", async () => {
    const ready = (status: string) => ({
      conditions: [{ type: "Ready", status, reason: "Other", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
    });
    const time = async (before: unknown) =>
      (await statusOf({ decisions: [healthy()], before })).conditions.Ready?.lastTransitionTime;
    expect(await time(ready("True"))).toBe("2026-01-01T00:00:00Z");
    expect(await time(ready("False"))).toBe("2026-11-30T12:00:00.000Z");
    expect(await time("garbage")).toBe("2026-11-30T12:00:00.000Z");
  });

  it("keeps the form that stands while the spec is refused", async () => {
    const lastAccepted = {
      spec: { rootHost: "x.test", endpoints: [{ dnsName: "x.test", recordType: "A", targets: [A] }] },
    };
    const status = await statusOf({
      given: { spec: { minPublished: 0 }, status: { lastAccepted } },
      decisions: [healthy()],
    });
    expect(status).toMatchObject({
      lastAccepted,
      conditions: {
        Accepted: { status: "False", reason: "Invalid", message: expect.stringContaining("spec.minPublished: 0") },
        Ready: { status: "False", reason: "NotAccepted" },
      },
      published: [{ targets: [A] }],
    });
  });

  it("bounds what it says", async () => {
    const targets = Array.from({ length: 100 }, (_, index) => `198.51.100.${index + 1}`);
    const status = await statusOf({
      given: { targets },
      decisions: [delivered("x.test", targets.slice(0, 1), { unhealthy: targets.slice(1) })],
    });
    expect(status.conditions.Healthy?.message).toMatch(/ and 79 more\.$/);
    expect(status.summary?.unhealthy).toMatch(/^198\.51\.100\.10, .* and 96 more$/);
    const message = "m".repeat(5_000);
    const { conditions } = await statusOf({ extra: [{ type: "Withdrawn", status: "False", reason: "R", message }] });
    expect(conditions.Withdrawn?.message.length).toBe(1_024);
  });

  it("leaves out our own probes first, where a host has more than an object can hold", async () => {
    const probed = {
      here: Array.from({ length: 1_500 }, (_, index) => `ours-${index}.test`),
      there: Array.from({ length: 1_500 }, (_, index) => `theirs-${index}.test`),
    };
    const { probes = [] } = await statusOf({ decisions: [delivered("x.test", [A], { probed })] });
    expect(probes).toHaveLength(2_000);
    expect(probes.filter(({ cluster }) => cluster === "there")).toHaveLength(1_500);
    expect(JSON.stringify(probes).length).toBeLessThan(500_000);
  });
});

describe("the status of a record that takes no part", () => {
  it("says why, and nothing of what it said before but the times", () => {
    const at = "2026-01-01T00:00:00Z";
    const withdrawn: Condition = { type: "Withdrawn", status: "False", reason: "EdgeUnreachable", message: "…" };
    const status = { published: [], conditions: [{ ...withdrawn, reason: "Other", lastTransitionTime: at }] };
    expect(inactiveRecordStatus(dnsRecord({ name: "x", generation: 4, status }), [withdrawn], NOW)).toEqual({
      observedGeneration: 4,
      conditions: [{ ...withdrawn, lastTransitionTime: at, observedGeneration: 4 }],
    });
  });
});
