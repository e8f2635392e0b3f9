import { describe, expect, it } from "vitest";
import { delivered } from "../../test/support/agent/delivered.ts";
import { nextSerial, planHosts } from "./plan-hosts.ts";

const share = (host: string, ...targets: string[]) => ({
  endpoints: delivered(host, targets).endpoints,
  minPublished: 1,
  whenSilent: "Publish" as const,
});

describe("the serial", () => {
  it.each([
    [1, { epoch: 1_790_000_000_000, n: 4 }, 1_790_000_004],
    [1_790_000_004, { epoch: 1_790_000_000_000, n: 5 }, 1_790_000_005],
    [1_790_000_010, { epoch: 1_790_000_000_000, n: 5 }, 1_790_000_011],
    [1_790_000_010, { epoch: 0, n: 0 }, 1_790_000_011],
    [2 ** 32 - 1, { epoch: 0, n: 0 }, 0],
  ])("after %i with delivery %j is %i", (serial, number, next) => {
    expect(nextSerial(serial, number)).toBe(next);
  });
});

describe("all hosts together", () => {
  it("change only where something changes, and forget what no record names", () => {
    const { hosts, changes } = planHosts({
      cluster: "here",
      shares: new Map([
        ["same.test", [share("same.test", "192.0.2.1")]],
        ["other.test", [share("other.test", "192.0.2.1", "192.0.2.2")]],
        ["new.test", [share("new.test", "192.0.2.1")]],
      ]),
      hosts: {
        "same.test": {
          served: delivered("same.test", ["192.0.2.1"]).endpoints,
          delivered: delivered("same.test", ["192.0.2.1"]),
        },
        "other.test": {
          served: delivered("other.test", ["192.0.2.1"]).endpoints,
          delivered: delivered("other.test", ["192.0.2.2"]),
        },
        "gone.test": { served: delivered("gone.test", ["192.0.2.1"]).endpoints },
      },
      silent: false,
    });
    expect(Object.keys(hosts)).toEqual(["same.test", "other.test", "new.test"]);
    expect(changes.map(({ rootHost, basis }) => [rootHost, basis])).toEqual([
      ["other.test", "Decision"],
      ["gone.test", "Removed"],
    ]);
  });
});
