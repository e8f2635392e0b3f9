import { describe, expect, inject, it } from "vitest";
import { readSettings } from "../../settings.ts";
import { certificatesOfPem } from "./pem.ts";

const { root, good } = inject("certificates");
const label = (name: string, body: string) => `-----BEGIN ${name}-----\n${body}\n-----END ${name}-----\n`;
const KEY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";

describe("certificates in PEM", () => {
  it("are read one after the other, with text and line ends of any kind between them", () => {
    const text = `Subject: CN=Root\r\n${root.replaceAll("\n", "\r\n")}\nand\n${good[0]?.chain.join("")}`;
    expect(certificatesOfPem(text)).toMatchObject({ certificates: { length: 3 } });
  });

  it.each([
    ["no PEM at all", "hello", "must hold certificates in PEM"],
    ["a private key", root + label("PRIVATE KEY", KEY), "block 2 of 2 is a PRIVATE KEY, not a CERTIFICATE"],
    ["a block without its end", root + root.slice(0, 200), "a BEGIN or END line is missing"],
    ["a block without its beginning", root + root.slice(40), "a BEGIN or END line is missing"],
    ["what is not base64", root + label("CERTIFICATE", "!!!"), "block 2 of 2 is not base64"],
    ["another structure", label("CERTIFICATE", KEY), "block 1 of 1 is not a certificate"],
    ["a certificate that is cut off", label("CERTIFICATE", root.split("\n").slice(1, 5).join("\n")), "is cut off"],
  ])("refuses %s", (_, text, says) => {
    expect(certificatesOfPem(text)).toEqual({ fault: expect.stringContaining(says) });
  });
});

describe("the setting EXTRA_ROOTS", () => {
  it("is empty by default and may be empty", () => {
    expect(readSettings({}).EXTRA_ROOTS).toEqual([]);
    expect(readSettings({ EXTRA_ROOTS: " \n" }).EXTRA_ROOTS).toEqual([]);
  });

  it("takes several certificates", () => {
    expect(readSettings({ EXTRA_ROOTS: root + root }).EXTRA_ROOTS).toHaveLength(2);
  });

  it("says what is not a certificate, and never what a block holds", () => {
    const read = () => readSettings({ EXTRA_ROOTS: label("PRIVATE KEY", KEY) });
    expect(read).toThrow(/EXTRA_ROOTS.*block 1 of 1 is a PRIVATE KEY, not a CERTIFICATE/);
    expect(read).not.toThrow(KEY);
  });
});
