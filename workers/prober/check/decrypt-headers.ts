import { checkHeaders } from "../../../shared/headers.ts";
import type { Sealed } from "../../../shared/model/probe.ts";
import type { Settings } from "../../settings.ts";

type Keys = Pick<Settings, "HEADER_KEY" | "HEADER_KEY_ID" | "HEADER_KEY_PREVIOUS" | "HEADER_KEY_PREVIOUS_ID">;

/** Opened headers, or why they cannot be opened, in a text that reveals nothing. */
export type DecryptedHeaders = { headers: Record<string, string> } | { problem: string };

/**
 * Opens header secrets, in memory. They are AES-GCM over the JSON of the headers, with a 12-byte iv and no additional data. They
 * name their key: `HEADER_KEY`, or the one before while rotating.
 */
export async function decryptHeaders(sealed: Sealed, keys: Keys): Promise<DecryptedHeaders> {
  const key = keyNamed(sealed.keyId, keys);
  if (key === undefined) return { problem: `The Worker has no header key named ${JSON.stringify(sealed.keyId)}.` };
  try {
    const cryptoKey = await crypto.subtle.importKey("raw", bytes(key), "AES-GCM", false, ["decrypt"]);
    const algorithm = { name: "AES-GCM", iv: bytes(sealed.iv) };
    const plain = await crypto.subtle.decrypt(algorithm, cryptoKey, bytes(sealed.ciphertext));
    return readHeaders(new TextDecoder().decode(plain));
  } catch {
    return {
      problem: `The headers do not open with the key ${JSON.stringify(sealed.keyId)}: was HEADER_KEY replaced?`,
    };
  }
}

function keyNamed(keyId: string, keys: Keys): string | undefined {
  if (keyId === keys.HEADER_KEY_ID && keys.HEADER_KEY !== undefined) return keys.HEADER_KEY;
  return keyId === keys.HEADER_KEY_PREVIOUS_ID ? keys.HEADER_KEY_PREVIOUS : undefined;
}

/** The sealing side has checked them already; a line break that still got here would forge a request, so none passes. */
function readHeaders(json: string): DecryptedHeaders {
  const checked = checkHeaders(JSON.parse(json));
  if (checked.ok) return { headers: checked.headers };
  return {
    problem: `The headers cannot be sent: ${checked.errors.map(({ field, rule }) => `${field} ${rule}`).join("; ")}.`,
  };
}

function bytes(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
