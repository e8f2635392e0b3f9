import { describe, expect, it, vi } from "vitest";
import { until } from "../../test/support/cluster.ts";
import { MINUTE, type Scene, SECOND, trouble, type Written, withNotifier } from "../../test/support/notifier.ts";
import { MAX_MESSAGES } from "./notifier-store.ts";

const A = "record/a.example.com";
const B = "record/b.example.com";
const HOUR = 60 * MINUTE;

/** Due at once, so that the tests are about the sending. */
const target = (name: string, change: Omit<Written, "name"> = {}): Written => ({
  name,
  minDuration: "0s",
  groupWindow: "0s",
  ...change,
});

/** All that was logged, as text. */
function logged(): () => string[] {
  const spies = [vi.spyOn(console, "warn"), vi.spyOn(console, "error")];
  for (const spy of spies) spy.mockImplementation(() => {});
  return () => spies.flatMap((spy) => spy.mock.calls.map((call) => JSON.stringify(call)));
}

const ids = async (scene: Scene, name: string) =>
  (await scene.received(name)).map(({ headers }) => headers["webhook-id"]);

/** The deadline of ten seconds comes sooner. */
function shortenDeadline(): void {
  const setTimer = globalThis.setTimeout;
  const shorter = (work: () => void, ms?: number) => setTimer(work, ms === 10 * SECOND ? 1_500 : ms);
  vi.spyOn(globalThis, "setTimeout").mockImplementation(shorter as typeof setTimeout);
}

describe("a target that is out of order", () => {
  it.each([
    ["answers 500", { status: 500 }, "answered 500"],
    ["answers 525, as the platform does", { status: 525 }, "answered 525"],
    ["answers 408", { status: 408 }, "answered 408"],
    ["answers 429", { status: 429 }, "answered 429"],
    ["redirects", { status: 307 }, "answered 307"],
    ["closes the connection", "close", "cannot be reached"],
    ["never answers", "hang", "no answer within 10s"],
  ] as const)("(%s) gets the same message again, byte by byte, until it takes it", async (_, answer, failure) => {
    await withNotifier([target("ops")], async (scene) => {
      if (answer === "hang") shortenDeadline();
      const lines = logged();
      await scene.answers("ops", answer, answer);
      await scene.tell([trouble(A)]);
      for (let minute = 0; minute < 4; minute += 1) await scene.pass(MINUTE);
      const received = await scene.received("ops");
      expect(received).toHaveLength(3);
      expect(new Set(received.map(({ text, headers }) => text + headers["webhook-id"])).size).toBe(1);
      expect(lines()).toHaveLength(1);
      expect(lines()[0]).toContain(failure);
      expect(scene.rows()).toMatchObject({ message: 0 });
    });
  });

  it("(nobody listens) is tried with growing patience, and what waited for it leaves in order", async () => {
    await withNotifier([target("ops", { url: "http://127.0.0.1:1/" })], async (scene) => {
      const lines = logged();
      await scene.tell([trouble(A)]);
      const failures = () => {
        const { value } = scene.storage().sql.exec<{ value: string }>("SELECT value FROM target").one();
        return (JSON.parse(value) as { failures: number }).failures;
      };
      const waits: number[] = [];
      for (let attempt = 0; attempt < 12; attempt += 1) {
        const [failed, failedAt] = [failures(), Date.now()];
        // An alarm that was set while the request was in flight may come too early. It sends nothing and sets the next.
        while (failures() === failed) await scene.pass(((await scene.alarm()) ?? 0) - Date.now());
        waits.push(Date.now() - failedAt);
      }
      const outOfRange = waits.filter((wait, index) => wait > Math.min(300, 2 ** index) * SECOND || wait < 500);
      expect(outOfRange, waits.join()).toEqual([]);
      await scene.tell([]);
      await scene.tell([trouble(B)]);
      expect(lines()).toHaveLength(1);
      scene.configure([target("ops")]);
      await scene.pass(5 * MINUTE);
      expect(await scene.told("ops")).toEqual([[`Began ${A}`], [`Ended ${A}`], [`Began ${B}`]]);
    });
  });

  it("(asks for patience) is left alone as long as it says, in seconds or as a date, and an hour at most", async () => {
    await withNotifier([target("ops")], async (scene) => {
      logged();
      const date = new Date(Date.now() + 600 * SECOND).toUTCString();
      const answers = [
        { status: 429, retryAfter: "120" },
        { status: 503, retryAfter: date },
      ];
      await scene.answers("ops", ...answers, { status: 429, retryAfter: "999999" });
      await scene.tell([trouble(A)]);
      await scene.pass(119 * SECOND);
      expect(await scene.received("ops")).toHaveLength(1);
      await scene.pass(SECOND);
      expect(await scene.received("ops")).toHaveLength(2);
      await scene.pass(470 * SECOND);
      expect(await scene.received("ops")).toHaveLength(2);
      await scene.pass(20 * SECOND);
      expect(await scene.received("ops")).toHaveLength(3);
      await scene.pass(HOUR - SECOND);
      expect(await scene.received("ops")).toHaveLength(3);
      await scene.pass(SECOND);
      expect(await scene.received("ops")).toHaveLength(4);
    });
  });

  it.each(["0", "Thu, 01 Jan 2026 00:00:00 GMT"])(
    "(asks for no patience: %s) is asked again no sooner than without",
    async (retryAfter) => {
      await withNotifier([target("ops")], async (scene) => {
        logged();
        await scene.answers("ops", ...Array.from({ length: 3 }, () => ({ status: 503, retryAfter })));
        await scene.tell([trouble(A)]);
        expect(await scene.received("ops")).toHaveLength(1);
        await scene.pass(MINUTE);
        expect(await scene.received("ops")).toHaveLength(2);
      });
    },
  );

  it.each([400, 401, 404, 410])(
    "(answers %i) is not asked again; that is logged once, without address and key",
    async (status) => {
      const secret = `whsec_${btoa("canary".repeat(6))}`;
      await withNotifier([target("ops", { secret })], async (scene) => {
        const lines = logged();
        await scene.answers("ops", { status });
        await scene.tell([trouble(A)]);
        await scene.pass(HOUR);
        await scene.tell([]);
        expect(await scene.told("ops")).toEqual([[`Began ${A}`], [`Ended ${A}`]]);
        expect(lines()).toEqual([expect.stringContaining(`"failure":"answered ${status}"`)]);
        expect(lines()[0]).toContain('"target":"ops"');
        expect(lines()[0]).not.toMatch(/whsec|http|127\.0\.0\.1|canary/);
      });
    },
  );

  it("(breaks off after it has taken it) is not told again", async () => {
    await withNotifier([target("ops")], async (scene) => {
      logged();
      const body = new ReadableStream({ start: (controller) => controller.error(new Error("cut off")) });
      const receive = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response(body));
      await scene.tell([trouble(A)]);
      receive.mockRestore();
      expect(scene.rows()).toMatchObject({ message: 0 });
    });
  });

  it("holds up no other target, and neither its own rules nor later troubles", async () => {
    await withNotifier([target("hung"), target("ops")], async (scene) => {
      logged();
      shortenDeadline();
      await scene.answers("hung", "hang");
      const told = scene.tell([trouble(A)]);
      await until(async () => (await scene.told("ops")).length === 1);
      await until(async () => (await scene.received("hung")).length === 1);
      void scene.tell([trouble(A), trouble(B)]);
      await until(async () => (await scene.told("ops")).length === 2);
      expect(await scene.told("ops")).toEqual([[`Began ${A}`], [`Began ${B}`]]);
      expect(await scene.received("hung")).toHaveLength(1);
      await told;
      await scene.pass(MINUTE);
      expect(await scene.told("hung")).toEqual([[`Began ${A}`], [`Began ${A}`], [`Began ${B}`]]);
    });
  });

  it("for a day gets what is younger", async () => {
    await withNotifier([target("ops")], async (scene) => {
      const lines = logged();
      const answers = Array.from({ length: 3 }, () => ({ status: 500, retryAfter: "3600" }));
      await scene.answers("ops", ...answers);
      await scene.tell([trouble(A)]);
      await scene.pass(23 * HOUR);
      await scene.tell([trouble(A), trouble(B)]);
      await scene.pass(2 * HOUR);
      await scene.pass(HOUR);
      expect((await scene.told("ops")).map(([first]) => first)).toEqual([
        ...Array.from({ length: 3 }, () => `Began ${A}`),
        `Began ${B}`,
      ]);
      expect(lines().filter((line) => line.includes("was dropped"))).toHaveLength(1);
    });
  });

  it("keeps the newest messages, as many as there is room for", async () => {
    await withNotifier([target("ops", { kind: "pagerduty", routingKey: "key" })], async (scene) => {
      const lines = logged();
      await scene.answers("ops", { status: 500, retryAfter: "3600" });
      await scene.tell(Array.from({ length: MAX_MESSAGES + 7 }, (_, n) => trouble(`record/${n}.example.com`)));
      expect(scene.rows().message).toBe(MAX_MESSAGES);
      expect(lines()).toContainEqual(expect.stringContaining('"dropped":7'));
    });
  });
});

describe("an eviction", () => {
  it("while a call is under way repeats the message under the same id, and loses none", async () => {
    await withNotifier([target("ops")], async (scene) => {
      logged();
      shortenDeadline();
      await scene.answers("ops", "hang");
      void scene.tell([trouble(A)]);
      await until(async () => (await scene.received("ops")).length === 1);
      scene.restart();
      await scene.pass(15 * SECOND);
      await scene.tell([]);
      await scene.pass(MINUTE);
      const [first, again, end, ...more] = await ids(scene, "ops");
      expect(first).toMatch(/^notification_[0-9a-f]{16}$/);
      expect(again).toBe(first);
      expect(end).not.toBe(first);
      expect(more).toEqual([]);
    });
  });

  it("between the failures and the next try keeps both message and patience", async () => {
    await withNotifier([target("ops")], async (scene) => {
      logged();
      await scene.answers("ops", { status: 503, retryAfter: "600" });
      await scene.tell([trouble(A)]);
      scene.restart();
      await scene.pass(599 * SECOND);
      expect(await scene.received("ops")).toHaveLength(1);
      scene.restart();
      await scene.pass(SECOND);
      expect(await scene.told("ops")).toEqual([[`Began ${A}`], [`Began ${A}`]]);
    });
  });
});
