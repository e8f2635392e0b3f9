import { expect, test } from "vitest";
import { HELP, readOptions } from "./options.ts";

test("without arguments it is the demo on the ports that the documentation names", () => {
  expect(readOptions([])).toEqual({
    options: {
      state: ".vedette",
      fresh: false,
      edgeStaleAfterMs: 30_000,
      ports: { edge: 8787, agent: 8788, dns: 8753, control: 8789, gateway: 8443 },
    },
  });
});

test("every option of the help is read", () => {
  const named = [...HELP.matchAll(/^ {2}(--[a-z-]+) ?(<[^>]+>)?/gm)].map(([, name, value]) => ({ name, value }));
  expect(named.length).toBeGreaterThan(8);
  for (const { name, value } of named) {
    const given = value === undefined ? [] : [value === "<port>" ? "9000" : value === "<time>" ? "1m" : "x"];
    expect(readOptions([name ?? "", ...given])).not.toHaveProperty("wrong");
  }
});

test.each([
  [["--edge-port", "eighty"], '--edge-port: "eighty" must be a port from 1 to 65535'],
  [["--dns-port", "0"], '--dns-port: "0" must be a port from 1 to 65535'],
  [["--agent-port", "70000"], '--agent-port: "70000" must be a port from 1 to 65535'],
  [["--edge-stale-after", "soon"], '--edge-stale-after: "soon" must be a duration of at least 1s'],
  [["--edge-stale-after", "10ms"], '--edge-stale-after: "10ms" must be a duration of at least 1s'],
  [["--color"], "Unknown option '--color'"],
  [["records.yaml"], "Unexpected argument 'records.yaml'"],
])("%j is refused in words", (argv, message) => {
  const read = readOptions(argv);
  expect("wrong" in read && read.wrong).toContain(message);
});
