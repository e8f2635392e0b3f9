import type { Condition } from "../../shared/model/condition.ts";
import type { ObjectRef } from "../kubernetes/object.ts";
import type { OwnRecord } from "../sources/manifest-file.ts";
import type { State } from "../status/state.ts";

/** Everything that this cluster is to have in DNS. A root host that is missing is released. */
export interface Publication {
  hosts: State["hosts"];
  /** The serial number of the zones. */
  serial: number;
  /** The records of this cluster, with the specs in force. */
  records: readonly OwnRecord[];
  /** Records that take no part for now. What is published for them stays as it is. */
  kept: readonly ObjectRef[];
}

/** Why a root host, or the share of one record in it, is not published as it should be. */
export interface PublishProblem {
  /** The root host, or the one record that is affected, as `namespace/name`. */
  about: { rootHost: string } | { record: string };
  /**
   * `Writing`: may succeed without a change by a person. `Refused`: the provider rejects it. `Overtaken`: another writer changes it
   * again and again. `Foreign`: it belongs to another owner, and is never written.
   */
  state: "Writing" | "Refused" | "Overtaken" | "Foreign";
  /** The reason in the condition of the record. */
  reason: string;
  message: string;
}

/** Puts root hosts into DNS in one way. A new publisher is a file, and a line in `publishers.ts`. */
export interface Publisher {
  /**
   * Whether what is published outlives this process. A durable publisher is called before the state is stored, and a failure is a
   * failure to store. Any other is called afterwards, so that a restart never serves something older than was served.
   */
  readonly isDurable: boolean;
  /** Replaces everything that is published. Resolves when each change was tried once. */
  publish(publication: Publication): Promise<void>;
  /** What is not published as it should be. */
  problems(): readonly PublishProblem[];
  /** Whether something that was published for the record is still there. */
  holds(record: ObjectRef & { uid?: string | undefined }): boolean;
  /** Checks again for problems that appear without a change of ours, such as another owner of a host. */
  recheck(): Promise<void>;
  /** Ends slow look-ups. What is published stays. */
  stop(): void;
}

/** The `PublisherConflict` condition of a record. A problem that may end by itself does not count. */
export function conflictOf(
  problems: readonly PublishProblem[],
  record: { key: string; rootHost: string | undefined },
): Condition | undefined {
  const lasting = problems.filter(({ state }) => state !== "Writing");
  const ofHost = lasting.find(({ about }) => "rootHost" in about && about.rootHost === record.rootHost);
  const problem = ofHost ?? lasting.find(({ about }) => "record" in about && about.record === record.key);
  if (problem === undefined) return undefined;
  return { type: "PublisherConflict", status: "True", reason: problem.reason, message: problem.message };
}
