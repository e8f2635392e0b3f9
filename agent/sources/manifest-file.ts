import type { RecordSpec } from "../../shared/model/record.ts";

/** A `DNSRecord` as a file or the API server gave it. */
export interface ManifestRecord {
  /** `namespace/name` */
  key: string;
  namespace: string;
  name: string;
  uid?: string;
  generation?: number;
  /** RFC 3339; known of an object of the API. */
  createdAt?: string;
  spec: RecordSpec;
  /** The spec before parsing: what a snapshot carries and the state file remembers. */
  specInput: unknown;
}

/** A `DNSRecord` and where in its file it stands. */
export interface FileRecord extends ManifestRecord {
  line: number;
}

/** A `Secret` as a file gave it. Its values go to the edge and nowhere else: not into the state file, not into a log. */
export interface ManifestSecret {
  key: string;
  values: Readonly<Record<string, string>>;
  line: number;
}

/** Something wrong in a manifest, for the person who wrote it. */
export interface ManifestProblem {
  file: string;
  line?: number;
  column?: number;
  message: string;
}

/** What one file holds. */
export interface FileContent {
  records: readonly FileRecord[];
  secrets: readonly ManifestSecret[];
  problems: readonly ManifestProblem[];
  /** Documents that are wrong, by `namespace/name`; their last good form stays. */
  broken: ReadonlySet<string>;
  /** Whether something is wrong that could be any document of the file: whatever it had before stays then. */
  unclear: boolean;
}

/**
 * What a file holds after it was read again. A wrong document leaves the last good form in force; a document that is
 * gone, with nothing else wrong that could be it, is gone.
 */
export function afterRead(before: FileContent | undefined, read: FileContent): FileContent {
  if (before === undefined) return read;
  const stays = (kept: readonly { key: string }[]) => {
    const now = new Set(kept.map(({ key }) => key));
    return ({ key }: { key: string }) => !now.has(key) && (read.unclear || read.broken.has(key));
  };
  return {
    ...read,
    records: [...read.records, ...before.records.filter(stays(read.records))],
    secrets: [...read.secrets, ...before.secrets.filter(stays(read.secrets))],
  };
}

/** `api.yaml:12:5 spec.rootHost: is required` */
export function formatProblem({ file, line, column, message }: ManifestProblem): string {
  return `${[file, line, column].filter((part) => part !== undefined).join(":")} ${message}`;
}
