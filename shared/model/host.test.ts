import { describe, expect, it } from "vitest";
import { canonicalHost } from "./host.ts";

const label63 = "a".repeat(63);
const name253 = [label63, label63, label63, "a".repeat(61)].join(".");

describe("one canonical form of a host name", () => {
  it.each([
    ["api.example.com", "api.example.com"],
    ["Example.COM.", "example.com"],
    ["3scale.example.com", "3scale.example.com"],
    ["a.example.com", "a.example.com"],
    ["1.example.com", "1.example.com"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["BÜCHER.example.", "xn--bcher-kva.example"],
    ["bu\u0308cher.example", "xn--bcher-kva.example"],
    ["münchen。example", "xn--mnchen-3ya.example"],
    ["a--b.example", "a--b.example"],
    ["localhost", "localhost"],
    [`${label63}.example`, `${label63}.example`],
    [name253, name253],
    [`${name253}.`, name253],
  ])("%j is %s", (text, host) => {
    expect(canonicalHost(text)).toEqual({ host });
  });

  it.each([
    ["", "must not be empty"],
    [".", 'has the label ""'],
    ["a..test", 'has the label ""'],
    ["a.test..", 'has the label ""'],
    [".a.test", 'has the label ""'],
    [`a${label63}.test`, "1 to 63 letters"],
    [`${name253}a`, "must be at most 253 octets long"],
    ["-a.test", 'has the label "-a"'],
    ["a-.test", 'has the label "a-"'],
    ["a_b.test", 'has the label "a_b"'],
    ["ü_b.test", "1 to 63 letters"],
    ["a b.test", 'has the label "a b"'],
    ["a\u0000.test", 'has the label "a\\u0000"'],
    ["a.test\r\nHost: evil", 'has the label "test\\r\\nhost: evil"'],
    ["a.test\n", 'has the label "test\\n"'],
    ["ü\n.test", "must be a host name (RFC 1123)"],
    ["ü.test:80", "must be a host name (RFC 1123)"],
    ["ü.test/path", "must be a host name (RFC 1123)"],
    ["user@ü.test", "must be a host name (RFC 1123)"],
    ["203.0.113.10", "must be a host name, not an address"],
    ["１.2.3.4", "must be a host name, not an address"],
    ["2001:db8::1", "1 to 63 letters"],
    ["*.example.com", "must not be a wildcard"],
    ["a.*.example.com", 'has the label "*"'],
  ])("%j is none: %s", (text, rule) => {
    expect(canonicalHost(text)).toEqual({ rule: expect.stringContaining(rule) });
  });

  it("shows no more of a long label than a person wants to read", () => {
    const result = canonicalHost("a".repeat(240));
    expect("rule" in result && result.rule.length < 160).toBe(true);
  });
});

describe("a wildcard, where one is allowed", () => {
  it.each([
    ["*.Example.com.", "*.example.com"],
    ["*.bücher.example", "*.xn--bcher-kva.example"],
  ])("%s is %s", (text, host) => {
    expect(canonicalHost(text, true)).toEqual({ host });
  });

  it.each(["*", "*.", "**.example.com", "a*.example.com", "*.*.example.com", `*.${name253}`])("%s is none", (text) => {
    expect(canonicalHost(text, true)).toHaveProperty("rule");
  });
});
