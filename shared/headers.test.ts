import { describe, expect, it } from "vitest";
import { checkHeaders } from "./headers.ts";

const rulesOf = (headers: Record<string, string>) => {
  const checked = checkHeaders(headers);
  return checked.ok ? [] : checked.errors.map(({ field, rule }) => `${field} ${rule}`);
};

describe("additional headers", () => {
  it("pass with what secrets usually hold", () => {
    const headers = { Authorization: "Bearer a.b-c", "X-Api-Key": "k3y==", Cookie: 'a="b c"; d=é'.replace("é", "e") };
    expect(checkHeaders(headers)).toEqual({ ok: true, headers });
  });

  it("lose the newline that a file ends with", () => {
    expect(checkHeaders({ "X-Api-Key": "test\n", "X-B": "  b\t\r\n" })).toEqual({
      ok: true,
      headers: { "X-Api-Key": "test", "X-B": "b" },
    });
  });

  it.each([
    "Host",
    "host",
    "Content-Length",
    "Transfer-Encoding",
    "Connection",
    "Keep-Alive",
    "TE",
    "Trailer",
    "Upgrade",
    "Expect",
    "Proxy-Authorization",
    "proxy-connection",
    "User-Agent",
  ])("refuse %s", (name) => {
    expect(rulesOf({ [name]: "x" })).toEqual([`headers["${name}"] is set by the prober and must not be given`]);
  });

  it.each([":authority", "", "a b", "a:", "x\r\nHost", "x\0", "é", "x".repeat(129)])("refuse the name %j", (name) => {
    expect(rulesOf({ [name]: "x" })).toHaveLength(1);
  });

  it.each(["x\r\nHost: evil", "a\nb", "a\rb", "a\0b", "a\u007fb", "é", "a\u2028b"])(
    "refuse the value %j unseen",
    (value) => {
      const rules = rulesOf({ "X-Api-Key": value });
      expect(rules).toEqual(['headers["X-Api-Key"] must hold visible ASCII characters, spaces and tabs only']);
    },
  );

  it("refuse too many, too long ones, and one name in two spellings", () => {
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`x-${index}`, "v"]));
    expect(rulesOf(many)).toEqual(["headers must be at most 32 headers"]);
    expect(rulesOf({ a: "x".repeat(8_193) })).toHaveLength(1);
    expect(rulesOf({ a: "x".repeat(8_000), b: "x".repeat(8_000), c: "x".repeat(8_000) })).toHaveLength(1);
    expect(rulesOf({ "X-A": "1", "x-a": "2" })).toEqual(["headers must not name one header twice in different case"]);
  });
});
