/**
 * Finds secrets in text. A canary is letters and digits, so it reads the same in JSON, in a URL and in a header. It is also
 * searched for in hexadecimal and in base64. In base64 it can begin at three offsets.
 */
export class Canaries {
  readonly #forms = new Map<string, string>();
  readonly #names = new Set<string>();

  /** Makes a canary of this many letters and digits, 28 to 32 octets being usual. */
  make(name: string, length = 28): string {
    const random = Array.from({ length: Math.ceil(length / 8) }, () => Math.random().toString(36).slice(2, 10));
    const canary = `cnry${name}${random.join("")}`
      .replace(/[^A-Za-z0-9]/g, "")
      .padEnd(length, "z")
      .slice(0, length);
    this.add(name, canary);
    return canary;
  }

  /** A secret that was made elsewhere; `octets` are what its text stands for. */
  add(name: string, secret: string, octets: Uint8Array = Buffer.from(secret)): void {
    this.#names.add(name);
    for (const form of [secret, ...encodings(octets)]) this.#forms.set(form.toLowerCase(), name);
  }

  get names(): string[] {
    return [...this.#names];
  }

  /** The names of the secrets that stand in the text, in any of their forms. */
  in(text: string): string[] {
    const lower = text.toLowerCase();
    const found = [...this.#forms].flatMap(([form, name]) => (lower.includes(form) ? [name] : []));
    return [...new Set(found)];
  }
}

/** Without the characters of base64 that depend on what stands before and after. */
function encodings(octets: Uint8Array): string[] {
  const shifted = [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), octets]);
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor((whole.length * 8) / 6);
    return [whole.toString("base64").slice(start, end), whole.toString("base64url").slice(start, end)];
  });
  return [Buffer.from(octets).toString("hex"), ...shifted];
}
