import { type Headers, headersOf, type SecretReading } from "./header-secret.ts";
import type { FileContent, ManifestProblem, ManifestRecord } from "./manifest-file.ts";

/** A record of this cluster, with its header secrets joined. */
export interface OwnRecord extends ManifestRecord, Headers {
  /** Where it stands; absent for an object of the API. */
  file?: string;
  line?: number;
  /** Why its spec as it stands was refused, in words: `spec` is then the form that was accepted last. */
  refusal?: string;
}

/** All records of all files, in the order of their keys. Of two with one name the first by file and line holds. */
export function collect(files: ReadonlyMap<string, FileContent>): {
  records: OwnRecord[];
  problems: ManifestProblem[];
} {
  const problems = [...files.values()].flatMap((content) => content.problems);
  const secrets = firstByKey(files, (content) => content.secrets, "Secret", problems);
  const records = firstByKey(files, (content) => content.records, "DNSRecord", problems);
  const secretAt = (key: string): SecretReading => secrets.get(key)?.item ?? { problem: "is not among the manifests." };
  return {
    records: [...records.values()]
      .map(({ file, item }) => ({ ...item, file, ...headersOf(item, secretAt) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
    problems,
  };
}

type Held<Item> = Map<string, { file: string; item: Item }>;

function firstByKey<Item extends { key: string; line: number }>(
  files: ReadonlyMap<string, FileContent>,
  itemsOf: (content: FileContent) => readonly Item[],
  kind: string,
  problems: ManifestProblem[],
): Held<Item> {
  const held: Held<Item> = new Map();
  for (const [file, content] of files) {
    for (const item of itemsOf(content)) {
      const first = held.get(item.key);
      if (first === undefined) held.set(item.key, { file, item });
      else {
        const message = `${item.key} is a second ${kind} of that name: the one at ${first.file}:${first.item.line} holds`;
        problems.push({ file, line: item.line, message });
      }
    }
  }
  return held;
}
