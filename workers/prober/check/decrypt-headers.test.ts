import { describe, expect, it } from "vitest";
import type { Sealed } from "../../../shared/model/probe.ts";
import { decryptHeaders } from "./decrypt-headers.ts";

const key = btoa("k".repeat(32));
const older = btoa("o".repeat(32));
const keys = {
  HEADER_KEY: key,
  HEADER_KEY_ID: "2",
  HEADER_KEY_PREVIOUS: older,
  HEADER_KEY_PREVIOUS_ID: "1",
};
const bytes = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

async function seal(plain: unknown, keyId: string, by: string): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const cryptoKey = await crypto.subtle.importKey("raw", bytes(by), "AES-GCM", false, ["encrypt"]);
  const text = new TextEncoder().encode(JSON.stringify(plain));
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, cryptoKey, text));
  return { keyId, iv: btoa(String.fromCharCode(...iv)), ciphertext: btoa(String.fromCharCode(...sealed)) };
}

const headers = { "X-Api-Key": "S3CR3T" };

describe("sealed headers", () => {
  it("open with the key they name, also with the one before", async () => {
    expect(await decryptHeaders(await seal(headers, "2", key), keys)).toEqual({ headers });
    expect(await decryptHeaders(await seal(headers, "1", older), keys)).toEqual({ headers });
  });

  it.each<[string, () => Promise<Sealed>, RegExp]>([
    ["whose key is gone", () => seal(headers, "0", key), /no header key named "0"/],
    ["that another key sealed", () => seal(headers, "2", older), /do not open with the key "2"/],
    ["that hold a line break", () => seal({ "X-A": "S3CR3T\r\nHost: evil" }, "2", key), /headers\["X-A"\] must hold/],
  ])("%s are a problem that gives no value away", async (_, sealed, expected) => {
    const opened = await decryptHeaders(await sealed(), keys);
    expect(opened).toEqual({ problem: expect.stringMatching(expected) });
    expect(JSON.stringify(opened)).not.toContain("S3CR3T");
  });

  it("are a problem where the Worker has no key at all", async () => {
    const none = {
      HEADER_KEY: undefined,
      HEADER_KEY_ID: "1",
      HEADER_KEY_PREVIOUS: undefined,
      HEADER_KEY_PREVIOUS_ID: undefined,
    };
    expect(await decryptHeaders(await seal(headers, "1", key), none)).toHaveProperty("problem");
  });
});
