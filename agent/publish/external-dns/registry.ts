import type { Resolver } from "node:dns/promises";
import { digest } from "../../../shared/hash.ts";
import type { RecordType } from "../../../shared/model/endpoint.ts";

/** A root host and the record sets that are to be published for it. */
export interface PublishedHost {
  rootHost: string;
  endpoints: readonly { dnsName: string; recordType: RecordType }[];
}

/** Another owner than ours publishes a record set of a host. */
export interface RegistryConflict {
  owner: string;
  /** The TXT record that says so. */
  name: string;
}

export interface RegistryOptions extends Affixes {
  /** Of `node:dns`, with its servers and time-out set. */
  resolver: Pick<Resolver, "resolveTxt" | "resolveCname">;
  /** What external-dns here was given as `--txt-owner-id`. */
  ownerId: string;
  /** Hosts that are asked for at the same time. */
  concurrency: number;
  /** Once it is given nothing more is asked, and nothing more found out. */
  signal?: AbortSignal;
}

/** A name that has no such record, or cannot have one. */
const ABSENT: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

/** A set of the type cannot stand beside another owner's set of these. */
const IN_THE_WAY: Readonly<Record<RecordType, readonly RecordType[]>> = {
  A: ["A", "CNAME"],
  AAAA: ["AAAA", "CNAME"],
  CNAME: ["CNAME", "A", "AAAA"],
};

/** What DNS says of a registry record. `Unknown` is no answer, or one that nobody here can read. */
type Answer = Said | { type: "Unknown" };

/**
 * Who owns the names that are to be published, by external-dns' registry records in DNS. What cannot be found out stays as it
 * was known before, and counts as free at first.
 */
export class Registry {
  readonly #options: RegistryOptions;
  readonly #conflicts = new Map<string, RegistryConflict>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** As of the last look; undefined where nobody else is known to own the host. */
  conflictOf(rootHost: string): RegistryConflict | undefined {
    return this.#conflicts.get(rootHost);
  }

  /** Queries DNS again for these hosts. Never throws for what DNS says, or does not. */
  async look(hosts: readonly PublishedHost[]): Promise<void> {
    const left = [...hosts];
    const work = async () => {
      for (let host = left.shift(); host !== undefined; host = left.shift()) await this.#lookAt(host);
    };
    await Promise.all(Array.from({ length: this.#options.concurrency }, work));
  }

  /** Forgets all hosts but these. */
  keep(hosts: readonly PublishedHost[]): void {
    const named = new Set(hosts.map(({ rootHost }) => rootHost));
    for (const host of this.#conflicts.keys()) if (!named.has(host)) this.#conflicts.delete(host);
  }

  async #lookAt({ rootHost, endpoints }: PublishedHost): Promise<void> {
    const asked = new Map(
      endpoints.flatMap(({ dnsName, recordType }) =>
        IN_THE_WAY[recordType].map((type) => [`${type} ${dnsName}`, { dnsName, type }]),
      ),
    );
    let isKnown = true;
    for (const { dnsName, type } of asked.values()) {
      const found = await this.#foreignOwner(dnsName, type);
      if (found === "Unknown") isKnown = false;
      else if (found !== undefined) {
        this.#conflicts.set(rootHost, found);
        return;
      }
    }
    if (isKnown) this.#conflicts.delete(rootHost);
  }

  async #foreignOwner(dnsName: string, type: RecordType): Promise<RegistryConflict | "Unknown" | undefined> {
    const name = registryName(dnsName, type, this.#options);
    const answer = await this.#ask(name);
    if (answer.type === "Unreadable") return "Unknown";
    if (answer.type !== "Nothing") return this.#judge(name, answer);
    if (type === "AAAA") return undefined; // Older releases wrote none for it.
    const oldName = oldRegistryName(dnsName, this.#options);
    return this.#judge(oldName, await this.#askOld(oldName));
  }

  async #judge(name: string, answer: Answer): Promise<RegistryConflict | "Unknown" | undefined> {
    if (answer.type === "Unknown") return "Unknown";
    if (answer.type !== "Owners" || answer.owners.includes(this.#options.ownerId)) return undefined;
    const [owner = ""] = answer.owners;
    const isWildcard = await this.#comesFromWildcard(name, owner);
    return isWildcard === "Unknown" ? "Unknown" : isWildcard ? undefined : { owner, name };
  }

  /** At the name itself other texts are no concern of ours; and a CNAME there leads to the texts of another name. */
  async #askOld(name: string): Promise<Answer> {
    const answer = await this.#ask(name);
    if (answer.type === "Unreadable") return { type: "Nothing" };
    if (answer.type !== "Owners") return answer;
    const aliases = await this.#answerOf(({ resolver }) => resolver.resolveCname(name));
    if (aliases === undefined) return { type: "Unknown" };
    return aliases.length > 0 ? { type: "Nothing" } : answer;
  }

  /** The registry record of a wildcard answers for every name beside it: then a name that nobody has says the same. */
  async #comesFromWildcard(name: string, owner: string): Promise<boolean | "Unknown"> {
    if (name.startsWith("*.")) return false;
    const parent = name.slice(name.indexOf(".") + 1);
    const answer = await this.#ask(`vedette-${digest(name)}.${parent}`);
    if (answer.type === "Unknown") return "Unknown";
    return answer.type === "Owners" && answer.owners.includes(owner);
  }

  async #ask(name: string): Promise<Answer> {
    const records = await this.#answerOf(({ resolver }) => resolver.resolveTxt(name));
    if (records === undefined) return { type: "Unknown" };
    return readRegistryTexts(records.map((strings) => strings.join("")));
  }

  /** What was answered, empty where there is nothing; undefined where there was no answer. */
  async #answerOf<Item>(ask: (options: RegistryOptions) => Promise<Item[]>): Promise<Item[] | undefined> {
    if (this.#options.signal?.aborted) return undefined;
    try {
      return await ask(this.#options);
    } catch (error) {
      return ABSENT.has((error as { code?: string }).code ?? "") ? [] : undefined;
    }
  }
}

/** How external-dns names its registry records: its flags `--txt-prefix`, `--txt-suffix`, `--txt-wildcard-replacement`. */
export interface Affixes {
  prefix: string;
  suffix: string;
  wildcardReplacement: string;
}

const TYPE_TEMPLATE = "%{record_type}";

/** The name of the TXT record that says who owns a record set, as external-dns 0.12 and newer write it. */
export function registryName(dnsName: string, recordType: RecordType, affixes: Affixes): string {
  const type = recordType.toLowerCase();
  const isTyped = [affixes.prefix, affixes.suffix].some((affix) => affix.includes(TYPE_TEMPLATE));
  return affixed(dnsName, affixes, type, isTyped ? "" : `${type}-`);
}

/** The same as older releases wrote it, which said nothing of the type. Without prefix and suffix that is the name itself. */
export function oldRegistryName(dnsName: string, affixes: Affixes): string {
  return affixed(dnsName, affixes, "", "");
}

function affixed(
  dnsName: string,
  { prefix, suffix, wildcardReplacement }: Affixes,
  type: string,
  before: string,
): string {
  const [first = "", ...rest] = dnsName.toLowerCase().split(".");
  const label = first === "*" && wildcardReplacement !== "" ? wildcardReplacement.toLowerCase() : first;
  const of = (affix: string) => affix.toLowerCase().replaceAll(TYPE_TEMPLATE, type);
  return [`${of(prefix)}${before}${label}${of(suffix)}`, ...rest].join(".");
}

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
