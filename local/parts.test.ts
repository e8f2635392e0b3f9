import type { NetworkInterfaceInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { canaries } from "./parts.ts";

const OWN = "127.0.0.1:8789";

const address = (address: string, family: "IPv4" | "IPv6", internal = false) =>
  ({ address, family, internal }) as NetworkInterfaceInfo;

describe("the canaries of the local stack", () => {
  it("are its own port where IPv6 leads anywhere", () => {
    expect(canaries(OWN, { eth0: [address("192.0.2.2", "IPv4"), address("2001:db8:1::2", "IPv6")] })).toBe(OWN);
  });

  it.each([
    ["has no IPv6 at all", { eth0: [address("192.0.2.2", "IPv4")] }],
    ["has it on loopback alone", { lo: [address("::1", "IPv6", true)] }],
    ["has a link-local address alone", { eth0: [address("fe80::1", "IPv6")] }],
  ])("tell that IPv6 leads nowhere on a machine that %s", (_, interfaces) => {
    expect(canaries(OWN, interfaces)).toBe(`${OWN},[2001:db8::1]:9`);
  });
});
