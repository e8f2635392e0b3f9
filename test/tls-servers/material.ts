import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CA, server } from "../certificates/family.ts";
import { ecKey, ed25519Key, type Issued, issue, rsaKey } from "../certificates/issue.ts";
import { HOST, type Key, PAGE } from "./case.ts";

/** Files of one server: its certificate, what it is signed by, and the page, all in one folder. */
export interface Material {
  folder: string;
  certificate: string;
  key: string;
  chain: string;
  fullChain: string;
}

const KEYS: Record<Key, () => string> = {
  RSA: rsaKey,
  "P-256": ecKey,
  "P-384": () => ecKey("P-384"),
  Ed25519: ed25519Key,
};

const HOUR_MS = 3_600_000;

/** Certificates by one authority over an intermediate one, made as they are asked for. */
export class Materials {
  readonly root: string;
  readonly #folder: string;
  readonly #intermediate: Issued;
  readonly #made = new Map<string, Promise<Material>>();

  private constructor(folder: string, root: Issued, intermediate: Issued) {
    this.#folder = folder;
    this.#intermediate = intermediate;
    this.root = root.certificate;
    writeFileSync(join(folder, "page.txt"), PAGE);
  }

  static async make(folder: string): Promise<Materials> {
    const root = await issue({ subject: "/CN=Root of the live servers", extensions: CA, key: ecKey() });
    const issuer = { subject: "/CN=Intermediate of the live servers", extensions: CA, issuer: root, key: rsaKey() };
    return new Materials(folder, root, await issue(issuer));
  }

  of(key: Key, host = HOST): Promise<Material> {
    const name = `${key}-${host}`;
    const made = this.#made.get(name) ?? this.#make(name, key, host);
    this.#made.set(name, made);
    return made;
  }

  /** One that ended ten minutes ago. */
  expired(): Promise<Material> {
    return this.#make("expired", "P-256", HOST, Date.now() - HOUR_MS / 6);
  }

  async #make(name: string, kind: Key, host: string, endMs?: number): Promise<Material> {
    const issuer = this.#intermediate;
    const wanted = {
      subject: `/CN=${host}`,
      extensions: server(`DNS:${host}`),
      issuer,
      key: KEYS[kind](),
      ...(endMs !== undefined && { startMs: endMs - HOUR_MS, endMs }),
    };
    const { certificate, key } = await issue(wanted);
    return {
      folder: this.#folder,
      certificate: this.#write(`${name}.pem`, certificate),
      key: this.#write(`${name}.key`, key),
      chain: this.#write("intermediate.pem", issuer.certificate),
      fullChain: this.#write(`${name}.full.pem`, certificate + issuer.certificate),
    };
  }

  #write(name: string, text: string): string {
    const file = join(this.#folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }
}
