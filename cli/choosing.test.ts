import { describe, expect, it } from "vitest";
import { type FakeEdge, fakeEdge, runCli } from "../test/support/cli.ts";
import { hosts } from "./command.ts";

const RARE = "xn--bcher-kva.example.com";
/** Of 1,200 events every 400th is of this host, and the others of another. */
const log = Array.from({ length: 1_200 }, (_, n) => ({
  id: n + 1,
  at: n + 1,
  partition: 0,
  type: "DecisionChanged",
  rootHost: (n + 1) % 400 === 0 ? RARE : "often.example.com",
  message: `message ${n + 1}`,
}));

function edgeWithLog(): Promise<FakeEdge> {
  return fakeEdge((path) => {
    const query = new URLSearchParams(path.split("?")[1]);
    const before = Number(query.get("before") ?? log.length + 1);
    const events = log.filter(({ id }) => id < before).slice(-Number(query.get("last")));
    return { events, next: `${events.at(-1)?.id}`, previous: `${events[0]?.id ?? before}` };
  });
}

async function idsOf(...argv: string[]): Promise<number[]> {
  await using edge = await edgeWithLog();
  const events = runCli(["events", "-o", "json", "--edge", edge.url, ...argv]);
  expect(await events.code).toBe(0);
  return (JSON.parse(events.stdout) as { events: { id: number }[] }).events.map(({ id }) => id);
}

describe("events of a host", () => {
  it.each([
    [
      ["--host", RARE],
      [400, 800, 1_200],
    ],
    [
      ["--host", "BÜCHER.example.com."],
      [400, 800, 1_200],
    ],
    [
      ["--host", RARE, "--last", "2"],
      [800, 1_200],
    ],
    [["--host", `no.example.com,${RARE}`, "--last", "1"], [1_200]],
    [["--host", "no.example.com"], []],
    [
      ["--last", "2"],
      [1_199, 1_200],
    ],
  ])("%j: the newest of those, however far back they are", async (argv, ids) => {
    expect(await idsOf(...argv)).toEqual(ids);
  });

  it("that has none is told so", async () => {
    await using edge = await edgeWithLog();
    const events = runCli(["events", "--host", "no.example.com", "--edge", edge.url]);
    expect(await events.code).toBe(0);
    expect(events.stdout).toBe("Nothing of that kind is in the log.\n");
  });
});

describe("a host", () => {
  it.each(["events", "probes"])("of %s that is none is a fault of the command line", async (command) => {
    expect(await runCli([command, "--host", "a_b.example.com"]).code).toBe(2);
    expect(() => hosts("a_b.example.com", undefined)).toThrow('"a_b.example.com" has the label "a_b"');
  });
});
