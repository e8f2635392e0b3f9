import { checkHeaders } from "../../shared/headers.ts";
import { formatFieldError } from "../../shared/model/field-error.ts";
import type { FileContent, ManifestProblem, ManifestRecord, ManifestSecret } from "./content.ts";

/** A record of this cluster, with its header secrets joined. */
export interface OwnRecord extends ManifestRecord {
  file: string;
  headers?: Record<string, string>;
  headersProblem?: string;
}

/** All records of all files, in the order of their keys. Of two with one name the first by file and line holds. */
export function collect(files: ReadonlyMap<string, FileContent>): {
  records: OwnRecord[];
  problems: ManifestProblem[];
} {
  const problems = [...files.values()].flatMap((content) => content.problems);
  const secrets = firstByKey(files, (content) => content.secrets, "Secret", problems);
  const records = firstByKey(files, (content) => content.records, "DNSRecord", problems);
  return {
    records: [...records.values()]
      .map(({ file, item }) => ({ ...item, file, ...headersOf(item, secrets) }))
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

type Headers = Pick<OwnRecord, "headers" | "headersProblem">;

function headersOf({ namespace, spec }: ManifestRecord, secrets: Held<ManifestSecret>): Headers {
  const name = spec.healthCheck?.additionalHeadersRef?.name;
  if (name === undefined) return {};
  const secret = secrets.get(`${namespace}/${name}`)?.item;
  if (secret === undefined) return { headersProblem: `The Secret ${namespace}/${name} is not among the manifests.` };
  const checked = checkHeaders(secret.values);
  if (checked.ok) return { headers: checked.headers };
  const rules = checked.errors.map(formatFieldError).join("; ");
  return { headersProblem: `The Secret ${namespace}/${name} is wrong: ${rules}`.slice(0, 300) };
}
