import { describe, expect, it, vi } from "vitest";
import type { Overview } from "../shared/model/overview.ts";
import { fakeEdge, runCli } from "../test/support/cli.ts";

const seen = (rootHost: string): Overview => ({
  at: 1,
  partitions: 1,
  role: "viewer",
  addressesHidden: false,
  records: [{ rootHost, state: "Healthy", clusters: [], leaves: [], regions: [], decidedAt: 1 }],
  regions: [],
  clusters: [],
});
const event = (id: number) => ({ id, at: id, partition: 0, type: "VerdictChanged", message: `message ${id}` });
const soon = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 20 });

describe("a command line", () => {
  it("with no host, as of a variable of a script that is not set, is wrong, and no question to the edge", async () => {
    const explain = runCli(["explain", ""]);
    expect(await explain.code).toBe(2);
    expect(explain.stderr).toContain("The host is empty");
  });

  it("that a local stack refuses is told where its token is", async () => {
    const body = { type: "https://vedette.dev/problems/TokenMissing", title: "This route needs a token", status: 401 };
    await using edge = await fakeEdge(() => ({ status: 401, body }));
    const list = runCli(["cluster", "list", "--edge", edge.url]);
    expect(await list.code).toBe(4);
    expect(list.stderr).toContain(".vedette/demo/secrets.json");
  });
});

describe("a watch on a terminal", () => {
  it("keeps what was seen last while the edge is away, says that it is old, and goes on", async () => {
    let answer: Overview | "hangs up" = seen("first.example.com");
    await using edge = await fakeEdge(() => answer);
    const size = { columns: 40, rows: 10 };
    const watch = runCli(["status", "--watch", "--interval", "500ms", "--edge", edge.url], size);
    await soon(() => expect(watch.stdout).toContain("first.example.com"));
    answer = "hangs up";
    await soon(() => expect(watch.stdout).toContain("Stale since"));
    expect(watch.stdout.split("Stale since").at(-1)).toContain("first.example.com");
    answer = seen("second.example.com");
    await soon(() => expect(watch.stdout).toContain("second.example.com"));
    watch.end();
    expect(await watch.code).toBe(0);
    expect(watch.stdout.startsWith("\x1b[?1049h\x1b[?25l")).toBe(true);
    expect(watch.stdout.endsWith("\x1b[?25h\x1b[?1049l")).toBe(true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what steers a terminal has no width.
    const widths = watch.stdout.split(/\n|\x1b\[H/).map((line) => line.replace(/\x1b\[[?0-9;]*[A-Za-z]/g, "").length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(size.columns);
  });

  it("ends where it is refused, and restores the terminal", async () => {
    let isOpen = true;
    const refusal = { type: "https://vedette.dev/problems/TokenWrong", title: "The token does not fit", status: 401 };
    await using edge = await fakeEdge(() => (isOpen ? seen("first.example.com") : { status: 401, body: refusal }));
    const watch = runCli(["status", "--watch", "--interval", "500ms", "--edge", edge.url], { columns: 80, rows: 24 });
    await soon(() => expect(watch.stdout).toContain("first.example.com"));
    isOpen = false;
    expect(await watch.code).toBe(4);
    expect(watch.stdout.endsWith("\x1b[?25h\x1b[?1049l")).toBe(true);
    expect(watch.stderr).toContain("The token does not fit");
  });
});

describe("a watch elsewhere", () => {
  it("tells each change once, as JSON one a line", async () => {
    let answer = seen("first.example.com");
    await using edge = await fakeEdge(() => answer);
    const watch = runCli(["status", "--watch", "--interval", "500ms", "-o", "json", "--edge", edge.url]);
    await soon(() => expect(edge.asked.length).toBeGreaterThan(2));
    answer = seen("second.example.com");
    await soon(() => expect(watch.stdout).toContain("second.example.com"));
    watch.end();
    expect(await watch.code).toBe(0);
    const lines = watch.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Overview);
    expect(lines.map(({ records }) => records[0]?.rootHost)).toEqual(["first.example.com", "second.example.com"]);
  });
});

describe("who follows the events", () => {
  it("misses none over an outage, and is told of it once", async () => {
    let newest = 2;
    let isAway = false;
    await using edge = await fakeEdge((path) => {
      if (isAway) return "hangs up";
      const after = Number(/after=(\d+)/.exec(path)?.[1] ?? 0);
      const ids = Array.from({ length: newest - after }, (_, n) => after + n + 1);
      return { events: ids.map(event), next: `${newest}`, previous: "0" };
    });
    const follow = runCli(["events", "--follow", "--interval", "500ms", "-o", "json", "--edge", edge.url]);
    await soon(() => expect(follow.stdout).toContain("message 2"));
    isAway = true;
    const before = edge.asked.length;
    await soon(() => expect(edge.asked.length).toBeGreaterThan(before + 2));
    newest = 5;
    isAway = false;
    await soon(() => expect(follow.stdout).toContain("message 5"));
    follow.end();
    expect(await follow.code).toBe(0);
    const told = follow.stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: number }).id);
    expect(told).toEqual([1, 2, 3, 4, 5]);
    expect(follow.stderr.match(/cannot be reached/g)).toHaveLength(1);
    expect(follow.stderr).toContain("The edge answers again.");
  });

  it("has to have reached the edge once", async () => {
    const follow = runCli(["events", "--follow", "--edge", "http://127.0.0.1:1"]);
    expect(await follow.code).toBe(3);
  });
});
