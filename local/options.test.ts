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
  [["--edge-port", "eighty"], "--edge-port <port>' argument 'eighty' is invalid. It must be a port from 1 to 65535"],
  [["--dns-port", "0"], "argument '0' is invalid. It must be a port from 1 to 65535"],
  [["--agent-port", "70000"], "argument '70000' is invalid. It must be a port from 1 to 65535"],
  [["--edge-stale-after", "soon"], "argument 'soon' is invalid. It must be a duration of at least 1s"],
  [["--edge-stale-after", "10ms"], "argument '10ms' is invalid. It must be a duration of at least 1s"],
  [["--color"], "unknown option '--color'"],
  [["records.yaml"], "too many arguments"],
])("%j is refused with the rule", (argv, message) => {
  const read = readOptions(argv);
  expect("wrong" in read && read.wrong).toContain(message);
});
