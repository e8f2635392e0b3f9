import { beforeEach, describe, expect, test } from "vitest";
import { type EventContent, EventRecorder } from "./events.ts";
import type { Kind } from "./kinds.ts";
import type { KubeObject } from "./object.ts";

interface Written extends KubeObject {
  count: number;
  firstTimestamp: string;
  lastTimestamp: string;
}

const GATEWAY: KubeObject = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "Gateway",
  metadata: { name: "web", namespace: "shop", uid: "u1", resourceVersion: "7" },
};
const content = (more: Partial<EventContent> = {}): EventContent => ({
  type: "Warning",
  reason: "Unhealthy",
  message: "198.51.100.20 is unhealthy",
  at: 0,
  ...more,
});

let written: Written[];
let lines: string[];
let nowMs: number;
let refusal: Error | undefined;
let recorder: EventRecorder;

beforeEach(() => {
  written = [];
  lines = [];
  nowMs = 0;
  refusal = undefined;
  const apply = async (_: Kind, object: KubeObject) => {
    if (refusal) throw refusal;
    written.push(object as Written);
    return object;
  };
  const log = (_: string, message: string) => void lines.push(message);
  recorder = new EventRecorder({ client: { apply }, instance: "agent-1", log, elapsedMs: () => nowMs });
});

describe("one event", () => {
  test("says what happened to what, and who says so", async () => {
    recorder.record(GATEWAY, content({ at: 1_500 }));
    await recorder.flushed();
    expect(written).toEqual([
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/), namespace: "shop" },
        involvedObject: {
          apiVersion: GATEWAY.apiVersion,
          kind: "Gateway",
          name: "web",
          namespace: "shop",
          uid: "u1",
          resourceVersion: "7",
        },
        type: "Warning",
        reason: "Unhealthy",
        message: "198.51.100.20 is unhealthy",
        count: 1,
        firstTimestamp: "1970-01-01T00:00:01Z",
        lastTimestamp: "1970-01-01T00:00:01Z",
        source: { component: "vedette-agent" },
        reportingComponent: "vedette-agent",
        reportingInstance: "agent-1",
      },
    ]);
  });

  test("about an object without namespace goes to the namespace default", async () => {
    recorder.record({ ...GATEWAY, kind: "Namespace", metadata: { name: "shop" } }, content());
    await recorder.flushed();
    expect(written[0]?.metadata.namespace).toBe("default");
  });

  test("of a long name and message stays within the API server's limits", async () => {
    const name = `${"a".repeat(229)}.${"b".repeat(23)}`;
    recorder.record({ ...GATEWAY, metadata: { ...GATEWAY.metadata, name } }, content({ message: "x".repeat(5_000) }));
    await recorder.flushed();
    expect(written[0]?.metadata.name).toMatch(/^a{229}\.[0-9a-f]{16}$/);
    expect((written[0] as unknown as { message: string }).message).toHaveLength(1024);
  });
});

describe("repetitions", () => {
  test("are one object, counted, and written once a minute at most", async () => {
    for (let second = 0; second <= 120; second++) {
      nowMs = second * 1_000;
      recorder.record(GATEWAY, content({ at: nowMs }));
    }
    await recorder.flushed();
    expect(new Set(written.map(({ metadata }) => metadata.name)).size).toBe(1);
    expect(written.map(({ count, lastTimestamp }) => `${count} ${lastTimestamp.slice(14, 19)}`)).toEqual([
      "1 00:00",
      "61 01:00",
      "121 02:00",
    ]);
    expect(written.every(({ firstTimestamp }) => firstTimestamp === "1970-01-01T00:00:00Z")).toBe(true);
  });

  test("are none where anything but the time differs", async () => {
    recorder.record(GATEWAY, content());
    recorder.record(GATEWAY, content({ message: "another" }));
    recorder.record(GATEWAY, content({ type: "Normal" }));
    recorder.record(GATEWAY, content({ reason: "Healthy" }));
    recorder.record({ ...GATEWAY, metadata: { ...GATEWAY.metadata, uid: "u2" } }, content());
    await recorder.flushed();
    expect(new Set(written.map(({ metadata }) => metadata.name)).size).toBe(5);
  });
});

test("a flood is bounded, said once, and over when time has passed", async () => {
  for (let count = 0; count < 1_000; count++) recorder.record(GATEWAY, content({ message: `${count}` }));
  await recorder.flushed();
  expect(written).toHaveLength(50);
  nowMs = 10_000;
  for (let count = 0; count < 1_000; count++) recorder.record(GATEWAY, content({ message: `later ${count}` }));
  await recorder.flushed();
  expect(written).toHaveLength(60);
  expect(lines.slice(0, 2)).toEqual([
    "Too many events: those of the next seconds are left out",
    "Events are written again",
  ]);
});

test("a refusal is noted once, and never thrown", async () => {
  refusal = new Error("403 Forbidden");
  recorder.record(GATEWAY, content());
  recorder.record(GATEWAY, content({ message: "another" }));
  await recorder.flushed();
  refusal = undefined;
  recorder.record(GATEWAY, content({ message: "a third" }));
  await recorder.flushed();
  expect(lines).toEqual(["An event could not be written: 403 Forbidden", "Events can be written again"]);
  expect(written).toHaveLength(1);
});
