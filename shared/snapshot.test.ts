import { describe, expect, it } from "vitest";
import { decodeSnapshot, encodeSnapshot } from "./snapshot.ts";

const header = { clusterUid: "uid-1", instance: "agent-1" };
const record = (name: string) => ({
  namespace: "shop",
  name,
  spec: {
    rootHost: "api.example.com",
    endpoints: [{ dnsName: "api.example.com", recordType: "A" as const, targets: ["203.0.113.10"] }],
  },
});

describe("a snapshot", () => {
  it("comes back as it was written, with defaults filled and the spec as given", () => {
    const decoded = decodeSnapshot(encodeSnapshot(header, [record("a"), record("b")]));
    expect(decoded).toMatchObject({ ok: true, header: { ...header, records: 2, allowShrink: false } });
    if (!decoded.ok) return;
    expect(decoded.lines.map(({ line, ok, key }) => ({ line, ok, key }))).toEqual([
      { line: 2, ok: true, key: "shop/a" },
      { line: 3, ok: true, key: "shop/b" },
    ]);
    expect(decoded.lines[0]).toMatchObject({ record: { published: [] }, spec: record("a").spec });
  });

  it("may be empty, and may lack the last newline", () => {
    expect(decodeSnapshot(encodeSnapshot(header, []))).toMatchObject({ ok: true, lines: [] });
    expect(decodeSnapshot(encodeSnapshot(header, [record("a")]).trimEnd())).toMatchObject({ ok: true });
  });

  it("is refused whole when it was cut off, at a line's end or within one", () => {
    const text = encodeSnapshot(header, [record("a"), record("b")]);
    const lines = text.split("\n");
    expect(decodeSnapshot(`${lines[0]}\n${lines[1]}\n`)).toEqual({
      ok: false,
      errors: [
        {
          field: "line 1.records",
          value: "2",
          rule: "does not fit the 1 lines that follow: the body was cut off or counted wrongly",
        },
      ],
    });
    expect(decodeSnapshot(text.slice(0, text.indexOf("\n") + 20))).toMatchObject({ ok: false });
  });

  it.each([
    ["nothing", "", "must be a JSON object: the header"],
    ["no JSON", "hello\n", "must be a JSON object: the header"],
    ["a list", "[]\n", "must be a JSON object: the header"],
  ])("is refused when the header is %s", (_, text, rule) => {
    expect(decodeSnapshot(text)).toEqual({ ok: false, errors: [{ field: "line 1", rule }] });
  });

  it("names the fields of a wrong header", () => {
    const text = `${JSON.stringify({ version: 2, clusterUid: "", instance: "a", records: 0 })}\n`;
    const decoded = decodeSnapshot(text);
    expect(decoded.ok ? [] : decoded.errors.map(({ field }) => field)).toEqual(["line 1.version", "line 1.clusterUid"]);
  });

  it("refuses a record alone, with its line, its key and the fields", () => {
    const wrong = { ...record("b"), spec: { ...record("b").spec, minPublished: 0 } };
    const decoded = decodeSnapshot(encodeSnapshot(header, [record("a"), wrong, record("c")]));
    expect(decoded).toMatchObject({
      ok: true,
      lines: [
        { line: 2, ok: true },
        { line: 3, ok: false, key: "shop/b", errors: [{ field: "spec.minPublished" }] },
        { line: 4, ok: true },
      ],
    });
  });

  it("refuses a line that is no record, without a key where none can be read", () => {
    const text = `${JSON.stringify({ version: 1, ...header, records: 3 })}\n{"namespace":\nnull\n{"name":"x"}\n`;
    expect(decodeSnapshot(text)).toMatchObject({
      ok: true,
      lines: [
        { line: 2, ok: false, errors: [{ rule: "must be a JSON object" }] },
        { line: 3, ok: false, errors: [{ rule: "must be a JSON object" }] },
        { line: 4, ok: false },
      ],
    });
  });

  it("refuses a record that is too long to be stored, alone and by its key", () => {
    const long = { ...record("b"), headersProblem: "x".repeat(500_000) };
    expect(decodeSnapshot(encodeSnapshot(header, [record("a"), long]))).toMatchObject({
      lines: [{ ok: true }, { ok: false, key: "shop/b", errors: [{ rule: "must be at most 500000 characters long" }] }],
    });
  });

  it("refuses a record that is nested too deep to be shown, alone", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const text = encodeSnapshot(header, [{ ...record("b"), generation: 4_242 }, record("c")]);
    expect(decodeSnapshot(text.replace("4242", deep))).toMatchObject({
      lines: [{ ok: false, key: "shop/b", errors: [{ field: "generation" }] }, { ok: true }],
    });
  });

  it("never shows a header's value among the errors", () => {
    const wrong = { ...record("a"), headers: { "X-Api-Key": 42_424_242 as unknown as string } };
    expect(JSON.stringify(decodeSnapshot(encodeSnapshot(header, [wrong])))).not.toContain("42424242");
  });

  it("is not written above the limit", () => {
    const large = { ...record("a"), headers: { "X-Large": "x".repeat(4 * 1024 * 1024) } };
    expect(() => encodeSnapshot(header, [large])).toThrow(RangeError);
  });
});
