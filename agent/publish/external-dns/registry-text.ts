/** What the texts of a TXT record say: who owns it, something that nobody here can read, or nothing of ownership. */
export type Said = { type: "Owners"; owners: string[] } | { type: "Unreadable" } | { type: "Nothing" };

/** AES-GCM in Base64, as external-dns writes it with `--txt-encrypt-enabled`: a nonce and a tag at least. */
const ENCRYPTED = /^[A-Za-z0-9+/_-]{38,}={0,2}$/;

/** @param texts each record's text, its strings already joined */
export function readRegistryTexts(texts: readonly string[]): Said {
  const owners = texts.flatMap((text) => ownerIn(unquoted(text)) ?? []);
  if (owners.length > 0) return { type: "Owners", owners };
  return texts.some((text) => ENCRYPTED.test(unquoted(text))) ? { type: "Unreadable" } : { type: "Nothing" };
}

/** Some providers keep the quotes that external-dns puts around it. */
const unquoted = (text: string) => text.replace(/^"+|"+$/g, "");

function ownerIn(text: string): string | undefined {
  const pairs = new Map<string, string>();
  for (const token of text.split(",")) {
    const [key = "", value, ...more] = token.split("=");
    if (value !== undefined && more.length === 0) pairs.set(key.trim(), value.trim());
  }
  return pairs.get("heritage") === "external-dns" ? pairs.get("external-dns/owner") : undefined;
}
