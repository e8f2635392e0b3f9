import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { sameSecret } from "../../shared/constant-time.ts";
import type { Settings } from "../settings.ts";

/** Lifetime of a session: a daily viewer logs in once a day. */
export const SESSION_SECONDS = 24 * 3600;

/** The prefix `__Host-` binds the cookie to the host and to Secure (RFC 6265bis). */
export const SESSION_COOKIE = "__Host-vedette";
const ATTRIBUTES = "Path=/; HttpOnly; Secure; SameSite=Strict";

export type SessionRole = "viewer" | "admin";

/** The role of a token. It is compared with every token, so that the time reveals nothing. */
export function roleOfToken({ ADMIN_TOKEN, VIEW_TOKEN }: Settings, token: string): SessionRole | undefined {
  const isAdmin = ADMIN_TOKEN !== undefined && sameSecret(token, ADMIN_TOKEN);
  const isViewer = VIEW_TOKEN !== undefined && sameSecret(token, VIEW_TOKEN);
  return isAdmin ? "admin" : isViewer ? "viewer" : undefined;
}

/**
 * The `Set-Cookie` of a new session (now in Unix ms). Nothing is stored. The cookie has the role and the expiry, signed
 * with a key derived from the role's token. So a new token ends all sessions of the old one.
 */
export function sessionCookie(settings: Settings, role: SessionRole, nowMs: number): string {
  const claim = `${role}.${Math.floor(nowMs / 1000) + SESSION_SECONDS}`;
  return `${SESSION_COOKIE}=${claim}.${signatureOf(settings, role, claim)}; Max-Age=${SESSION_SECONDS}; ${ATTRIBUTES}`;
}

/** The `Set-Cookie` that ends a session in its browser. */
export const ENDED_COOKIE = `${SESSION_COOKIE}=; Max-Age=0; ${ATTRIBUTES}`;

/** The role of the session in a `Cookie` header at this time (Unix ms); undefined without a valid session. */
export function roleOfCookie(settings: Settings, header: string | undefined, nowMs: number): SessionRole | undefined {
  const value = /(?:^|;)\s*__Host-vedette=([^;]*)/.exec(header ?? "")?.[1];
  const parts = /^((viewer|admin)\.(\d{1,12}))\.([0-9a-f]{64})$/.exec(value ?? "");
  const [, claim = "", role, end, signature = ""] = parts ?? [];
  if (role !== "viewer" && role !== "admin") return undefined;
  const expected = signatureOf(settings, role, claim);
  if (expected === undefined || !sameSecret(signature, expected)) return undefined;
  return Number(end) * 1000 > nowMs ? role : undefined;
}

function signatureOf(settings: Settings, role: SessionRole, claim: string): string | undefined {
  const token = role === "admin" ? settings.ADMIN_TOKEN : settings.VIEW_TOKEN;
  if (token === undefined) return undefined;
  const key = hkdf(sha256, utf8ToBytes(token), undefined, utf8ToBytes("vedette session 1"), 32);
  return bytesToHex(hmac(sha256, key, utf8ToBytes(claim)));
}
