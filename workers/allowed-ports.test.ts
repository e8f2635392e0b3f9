import { describe, expect, it } from "vitest";
import { isPortAllowed } from "./allowed-ports.ts";
import { readSettings } from "./settings.ts";

const allows = (text: string | undefined, port: number) =>
  isPortAllowed(port, readSettings({ ALLOWED_PORTS: text }).ALLOWED_PORTS);

describe("ALLOWED_PORTS", () => {
  it.each<[string | undefined, number, boolean]>([
    [undefined, 1, true],
    [undefined, 24, true],
    [undefined, 25, false],
    [undefined, 26, true],
    [undefined, 65_535, true],
    ["80,443, 8000-8999", 443, true],
    ["80,443, 8000-8999", 8000, true],
    ["80,443, 8000-8999", 8999, true],
    ["80,443, 8000-8999", 9000, false],
    ["80,443, 8000-8999", 22, false],
    ["25-26", 25, false],
    ["25-26", 26, true],
    ["24-25", 24, true],
    ["24-25", 25, false],
  ])("%s: port %d is %s", (text, port, is) => {
    expect(allows(text, port)).toBe(is);
  });

  it.each([
    ["25", "must not name port 25"],
    ["", "must be ports from 1 to 65535"],
    ["0", "must be ports from 1 to 65535"],
    ["443-80", "must be ports from 1 to 65535"],
    ["80,65536", "must be ports from 1 to 65535"],
    ["http", "must be ports from 1 to 65535"],
  ])("refuses %s", (text, message) => {
    expect(() => readSettings({ ALLOWED_PORTS: text })).toThrow(`ALLOWED_PORTS: "${text}" ${message}`);
  });
});

describe("the limits", () => {
  it("have their defaults, and refuse what is out of range", () => {
    const { MAX_REQUESTS_PER_ADDRESS, MAX_LEAVES_PER_CLUSTER, PLAN } = readSettings({});
    expect({ MAX_REQUESTS_PER_ADDRESS, MAX_LEAVES_PER_CLUSTER, PLAN }).toEqual({
      MAX_REQUESTS_PER_ADDRESS: 100,
      MAX_LEAVES_PER_CLUSTER: 10_000,
      PLAN: "paid",
    });
    expect(() => readSettings({ MAX_REQUESTS_PER_ADDRESS: "0" })).toThrow("MAX_REQUESTS_PER_ADDRESS");
    expect(() => readSettings({ MAX_REQUESTS_PER_ADDRESS: "10001" })).toThrow("MAX_REQUESTS_PER_ADDRESS");
    expect(() => readSettings({ MAX_LEAVES_PER_CLUSTER: "0" })).toThrow("MAX_LEAVES_PER_CLUSTER");
    expect(() => readSettings({ PLAN: "enterprise" })).toThrow('PLAN: "enterprise" must be one of paid, free');
  });
});
