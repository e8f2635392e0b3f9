import { describe, expect, it } from "vitest";
import { addressFamily, canonicalAddress } from "./address.ts";

describe("one canonical spelling of an address", () => {
  it.each([
    ["203.0.113.10", "203.0.113.10"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["2001:0db8::0001", "2001:db8::1"],
    ["2001:db8:0:1:0:0:0:1", "2001:db8:0:1::1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["2001:db8::192.0.2.33", "2001:db8::c000:221"],
    ["::", "::"],
    ["0:0:0:0:0:0:0:1", "::1"],
  ])("%s is %s", (text, address) => {
    expect(canonicalAddress(text)).toBe(address);
    expect(canonicalAddress(address)).toBe(address);
  });

  it.each([
    "",
    "gateway.example.com",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "010.0.0.1",
    "203.0.113.256",
    "203.0.113",
    "203.0.113.10 ",
    " 203.0.113.10",
    "203.0.113.10\n",
    "203.0.113.10:80",
    "203.0.113.0/24",
    "[2001:db8::1]",
    "2001:db8::1/64",
    "2001:db8:::1",
    "2001:db8::1::1",
    "2001:db8::12345",
    "1:2:3:4:5:6:7",
    "fe80::1%eth0",
  ])("%j is none", (text) => {
    expect(canonicalAddress(text)).toBeUndefined();
  });

  it("tells the family of a leaf", () => {
    expect(addressFamily("203.0.113.10")).toBe("IPv4");
    expect(addressFamily("2001:db8::1")).toBe("IPv6");
    expect(addressFamily("gateway.example.com")).toBeUndefined();
  });
});
