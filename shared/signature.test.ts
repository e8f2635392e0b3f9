import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { formatSecret, SECRET_BYTES, type SignedRequest, signatureFault, signatureHeaders } from "./signature.ts";

const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const secret = formatSecret(new Uint8Array(SECRET_BYTES).fill(1));
const other = formatSecret(new Uint8Array(SECRET_BYTES).fill(2));

function signed(text: string, atMs = NOW, by = secret): SignedRequest {
  const headers = signatureHeaders(by, "msg_1", text, atMs);
  return {
    webhookId: headers["webhook-id"],
    webhookTimestamp: headers["webhook-timestamp"],
    webhookSignature: headers["webhook-signature"],
    body: text,
  };
}

describe("signatures", () => {
  it("are those of the standard library", () => {
    const headers = signatureHeaders(secret, "msg_1", "{}", Date.now());
    expect(() => new Webhook(secret).verify("{}", headers)).not.toThrow();
  });

  it.each([
    ["now", 0, undefined],
    ["four minutes ago", -4 * MINUTE, undefined],
    ["five minutes ago", -5 * MINUTE, undefined],
    ["30 s ahead", 30 * SECOND, undefined],
    ["six minutes ago", -6 * MINUTE, "TimestampTooOld"],
    ["six minutes ahead", 6 * MINUTE, "TimestampTooNew"],
  ])("signed %s", (_, offsetMs, fault) => {
    expect(signatureFault(signed("text", NOW + offsetMs), [secret], NOW)).toBe(fault);
  });

  it("fit one text only", () => {
    expect(signatureFault({ ...signed("text"), body: "texu" }, [secret], NOW)).toBe("SignatureInvalid");
    expect(signatureFault({ ...signed("text"), body: "text\n" }, [secret], NOW)).toBe("SignatureInvalid");
  });

  it("cover the id and the time", () => {
    expect(signatureFault({ ...signed("text"), webhookId: "msg_2" }, [secret], NOW)).toBe("SignatureInvalid");
    const later = `${NOW / SECOND + 1}`;
    expect(signatureFault({ ...signed("text"), webhookTimestamp: later }, [secret], NOW)).toBe("SignatureInvalid");
  });

  it.each([
    ["missing", undefined, "SignatureMissing"],
    ["empty", "", "SignatureMissing"],
    ["NaN", "NaN", "TimestampMalformed"],
    ["negative", `-${NOW / SECOND}`, "TimestampMalformed"],
    ["with a fraction", `${NOW / SECOND}.5`, "TimestampMalformed"],
    ["with more behind it", `${NOW / SECOND}x`, "TimestampMalformed"],
    ["in milliseconds", `${NOW}`, "TimestampTooNew"],
  ])("refuse a time that is %s", (_, webhookTimestamp, fault) => {
    expect(signatureFault({ ...signed("text"), webhookTimestamp }, [secret], NOW)).toBe(fault);
  });

  it("keep id, time and text apart: none can take a part of the next", () => {
    const seconds = `${NOW / SECOND}`;
    const moved = signed(`${seconds}.text`);
    const shifted = { ...moved, webhookId: `msg_1.${seconds}`, body: "text" };
    expect(signatureFault(shifted, [secret], NOW)).toBe("SignatureMalformed");
  });

  it("hold with either secret while rotating, and with no other", () => {
    expect(signatureFault(signed("text", NOW, other), [secret, other], NOW)).toBeUndefined();
    expect(signatureFault(signed("text", NOW, secret), [secret, other], NOW)).toBeUndefined();
    expect(signatureFault(signed("text", NOW, other), [secret], NOW)).toBe("SignatureInvalid");
    expect(signatureFault(signed("text"), [], NOW)).toBe("SignatureInvalid");
  });

  it("of several secrets satisfy a receiver that knows one", () => {
    const headers = signatureHeaders([other, secret], "msg_1", "text", NOW);
    const request = { ...signed("text"), webhookSignature: headers["webhook-signature"] };
    expect(signatureFault(request, [secret], NOW)).toBeUndefined();
    expect(signatureFault(request, [other], NOW)).toBeUndefined();
  });

  it("may stand beside others in the header", () => {
    const request = signed("text");
    const several = `v1a,abc ${signed("text", NOW, other).webhookSignature} ${request.webhookSignature}`;
    expect(signatureFault({ ...request, webhookSignature: several }, [secret], NOW)).toBeUndefined();
    expect(signatureFault({ ...request, webhookSignature: "v1" }, [secret], NOW)).toBe("SignatureInvalid");
    expect(signatureFault({ ...request, webhookSignature: "x ".repeat(50) }, [secret], NOW)).toBe("SignatureMalformed");
  });
});
