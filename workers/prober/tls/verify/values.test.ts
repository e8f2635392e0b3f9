import { describe, expect, it } from "vitest";
import { children, Malformed, readDer } from "./der.ts";
import { readBits, readBoolean, readCount, readOid, readTime } from "./values.ts";

const octets = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const value = (hex: string) => readDer(octets(hex));

function time(tag: number, text: string) {
  return readTime(readDer(Uint8Array.from([tag, text.length, ...new TextEncoder().encode(text)])));
}

describe("DER (X.690 §10)", () => {
  it.each([
    ["nothing", ""],
    ["a tag alone", "30"],
    ["an indefinite length", "30800000"],
    ["a long length that could be short", "308101ff"],
    ["a length with a leading zero", "30820001ff"],
    ["a length of four octets", "3084000000010000"],
    ["a value that is cut off", "300305"],
    ["octets after the value", "300000"],
    ["a tag of several octets", "1f8100"],
  ])("refuses %s", (_, hex) => {
    expect(() => readDer(octets(hex))).toThrow(Malformed);
  });

  it("refuses a child that leaves its parent", () => {
    expect(() => children(value("3003040500"))).toThrow(Malformed);
  });

  it.each([
    ["a padded identifier", () => readOid(value("0603800101"))],
    ["an identifier that is cut off", () => readOid(value("06022a86"))],
    ["an empty identifier", () => readOid(value("0600"))],
    ["a boolean of two octets", () => readBoolean(value("01020000"))],
    ["a negative number", () => readCount(octets("80"))],
    ["eight unused bits", () => readBits(value("03020800"))],
    ["unused bits of no octet", () => readBits(value("030101"))],
  ])("refuses %s", (_, read) => {
    expect(read).toThrow(Malformed);
  });

  it.each([
    ["06032a8648", "1.2.840"],
    ["0603551d13", "2.5.29.19"],
    ["06092a864886f70d01010b", "1.2.840.113549.1.1.11"],
    ["0603883703", "2.999.3"],
  ])("reads the identifier %s as %s", (hex, name) => {
    expect(readOid(value(hex))).toBe(name);
  });
});

describe("times (RFC 5280 §4.1.2.5)", () => {
  it.each([
    [0x17, "491231235959Z", "2049-12-31T23:59:59.000Z"],
    [0x17, "500101000000Z", "1950-01-01T00:00:00.000Z"],
    [0x17, "240229120000Z", "2024-02-29T12:00:00.000Z"],
    [0x18, "20500101000000Z", "2050-01-01T00:00:00.000Z"],
    [0x18, "99991231235959Z", "9999-12-31T23:59:59.000Z"],
  ])("tag %i, %s is %s", (tag, text, iso) => {
    expect(new Date(time(tag, text)).toISOString()).toBe(iso);
  });

  it.each([
    ["no seconds", 0x17, "2401010000Z"],
    ["another zone", 0x17, "240101000000+0100"],
    ["no zone", 0x17, "240101000000"],
    ["parts of a second", 0x18, "20240101000000.5Z"],
    ["a day that is not in the calendar", 0x17, "230229000000Z"],
    ["hour 24", 0x17, "240101240000Z"],
    ["a leap second", 0x17, "161231235960Z"],
    ["letters", 0x17, "24010100000aZ"],
    ["text after it", 0x18, "20240101000000Z0"],
    ["a short year in the long form", 0x18, "240101000000Z"],
  ])("are refused with %s", (_, tag, text) => {
    expect(() => time(tag, text)).toThrow(Malformed);
  });
});
