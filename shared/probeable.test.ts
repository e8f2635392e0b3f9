import { describe, expect, it } from "vitest";
import { notProbeable } from "./probeable.ts";

describe("which addresses may be dialled", () => {
  it.each(["8.8.8.8", "185.199.108.153", "2a00:1450:4001:829::200e", "2002:808:808::1", "64:ff9b::808:808"])(
    "%s may",
    (address) => {
      expect(notProbeable(address, false)).toBeUndefined();
    },
  );

  it.each([
    ["0.0.0.0", "the unspecified address"],
    ["0.1.2.3", "the unspecified address"],
    ["::", "the unspecified address"],
    ["255.255.255.255", "the broadcast address"],
    ["224.0.0.1", "a multicast address"],
    ["ff02::1", "a multicast address"],
    ["169.254.169.254", "a link-local address"],
    ["fe80::1", "a link-local address"],
    ["100.64.0.1", "a carrier-grade NAT address"],
    ["198.18.0.1", "a reserved address"],
    ["192.0.0.8", "a reserved address"],
    ["240.0.0.1", "a reserved address"],
    ["fec0::1", "a reserved address"],
    ["100::1", "a reserved address"],
    ["2001::1", "a reserved address"],
    ["64:ff9b:1::1", "a reserved address"],
    ["::7f00:1", "a reserved address"],
    ["4000::1", "a reserved address"],
    ["::ffff:8.8.8.8", "an IPv4-mapped address"],
    ["::ffff:127.0.0.1", "an IPv4-mapped address"],
    ["64:ff9b::a9fe:a9fe", "a link-local address"],
    ["2002:6440:1::1", "a carrier-grade NAT address"],
    ["104.16.0.1", "an address of Cloudflare's own network, which a Worker cannot dial"],
    ["172.71.255.255", "an address of Cloudflare's own network, which a Worker cannot dial"],
    ["2606:4700::1111", "an address of Cloudflare's own network, which a Worker cannot dial"],
    ["2002:6810:1::1", "an address of Cloudflare's own network, which a Worker cannot dial"],
  ])("%s never may: %s", (address, why) => {
    expect(notProbeable(address, false)).toContain(` is ${why}`);
    expect(notProbeable(address, true)).toContain(` is ${why}`);
  });

  it.each([
    ["10.0.0.1", "a private address"],
    ["172.16.0.1", "a private address"],
    ["172.31.255.255", "a private address"],
    ["192.168.1.1", "a private address"],
    ["fd00::1", "a private address"],
    ["127.0.0.11", "a loopback address"],
    ["::1", "a loopback address"],
    ["192.0.2.1", "a documentation address"],
    ["203.0.113.10", "a documentation address"],
    ["2001:db8::1", "a documentation address"],
    ["64:ff9b::7f00:1", "a loopback address"],
    ["2002:a00:1::1", "a private address"],
  ])("%s may only where private addresses are allowed: %s", (address, why) => {
    expect(notProbeable(address, false)).toContain(` is ${why}`);
    expect(notProbeable(address, true)).toBeUndefined();
  });

  it("names the address in its canonical spelling", () => {
    expect(notProbeable("FD00:0:0::0001", false)).toBe("fd00::1 is a private address");
    expect(notProbeable("gateway.example.com", true)).toBe('"gateway.example.com" is not an IP address');
  });

  it.each([
    "172.15.255.255",
    "172.32.0.1",
    "11.0.0.1",
    "192.167.1.1",
    "126.255.255.255",
    "128.0.0.1",
    "104.15.255.255",
  ])("%s lies beside a range, not in it", (address) => {
    expect(notProbeable(address, false)).toBeUndefined();
  });
});
