import { digest } from "../../shared/hash.ts";
import type { Condition } from "../../shared/model/condition.ts";
import { recordSpec } from "../../shared/model/record.ts";
import type { MergeInput } from "../../shared/record/merge.ts";
import type { FileContent, FileRecord, OwnRecord } from "../sources/manifest-file.ts";
import type { RecordState, State } from "../status/state.ts";

const digests = new WeakMap<object, string>();

/** The digest of a spec, which is never changed in place: every pass over the records asks for those of all. */
export function digestOf(spec: unknown): string {
  if (typeof spec !== "object" || spec === null) return digest(JSON.stringify(spec));
  const known = digests.get(spec) ?? digest(JSON.stringify(spec));
  digests.set(spec, known);
  return known;
}

const AWAITED: Condition = { type: "Accepted", status: "Unknown", reason: "Awaited", message: "Not yet at the edge." };

/** What the edge said of a record's spec, and which it took last. */
export type Acceptance = Pick<RecordState, "answer" | "acceptedSpec">;

/** What the edge said of the record as it is now. */
export function acceptedOf(record: OwnRecord, state: Acceptance | undefined): Condition {
  const { answer } = state ?? {};
  return answer !== undefined && answer.digest === digestOf(record.specInput) ? answer.condition : AWAITED;
}

/** What is said of the record's spec as it stands, by the agent or by the edge. */
export function statedAccepted(record: OwnRecord, state: RecordState | undefined): Condition {
  if (record.refusal === undefined) return acceptedOf(record, state);
  return { type: "Accepted", status: "False", reason: "Invalid", message: record.refusal };
}

/**
 * This cluster's shares by root host. If the edge refuses a record's current spec, its last accepted spec stays in
 * force, as it does at the edge. A record that was never accepted is no share (docs/design/decision.md, shares).
 */
export function sharesOf(records: readonly OwnRecord[], states: State["records"]): Map<string, MergeInput[]> {
  const specs = records.flatMap((record) => inForce(record, states[record.key])?.spec ?? []);
  return Map.groupBy(specs, ({ rootHost }) => rootHost);
}

/** Root hosts that the records name, as they are or in the form that the edge took last, where it refuses the newest. */
export function hostsNamed(records: readonly OwnRecord[], states: State["records"]): Set<string> {
  return new Set([...records.map(({ spec }) => spec.rootHost), ...sharesOf(records, states).keys()]);
}

/** The record with the spec that it stands with; undefined where the edge has refused it and never took another form. */
export function inForce(record: OwnRecord, state: Acceptance | undefined): OwnRecord | undefined {
  if (acceptedOf(record, state).status !== "False") return record;
  const specInput = state?.acceptedSpec;
  const spec = specInput === undefined ? undefined : recordSpec.safeParse(specInput).data;
  return spec && { ...record, spec, specInput };
}

/** The answer of the edge to one pushed record. The digest is of the spec that was pushed. */
export interface RecordAnswer {
  key: string;
  digest: string;
  condition: Condition;
}

/** The records' entries after the edge has answered. */
export function afterAnswers(states: State["records"], answers: readonly RecordAnswer[]): State["records"] {
  const next = { ...states };
  for (const { key, digest, condition } of answers) {
    const state = next[key];
    if (state !== undefined) next[key] = afterAnswer(state, digest, condition);
  }
  return next;
}

function afterAnswer(state: RecordState, digest: string, condition: Condition): RecordState {
  const { acceptedSpec, ...rest } = state;
  const answer = { digest, condition };
  const isCurrent = digest === digestOf(state.manifest.spec);
  if (!isCurrent) return state;
  if (condition.status === "True") return { ...rest, answer };
  const wasTaken = state.answer?.digest === digest && state.answer.condition.status === "True";
  const lastTaken = wasTaken ? state.manifest.spec : acceptedSpec;
  return { ...rest, answer, ...(lastTaken !== undefined && { acceptedSpec: lastTaken }) };
}

/** What is kept of a record's past when its manifest changes: the last spec that the edge took. */
export function acceptedBefore(
  record: OwnRecord,
  state: RecordState | undefined,
): Pick<RecordState, "answer" | "acceptedSpec"> {
  if (state === undefined) return {};
  const isSame = digestOf(record.specInput) === digestOf(state.manifest.spec);
  const wasTaken = state.answer?.condition.status === "True";
  const acceptedSpec = !isSame && wasTaken ? state.manifest.spec : state.acceptedSpec;
  return {
    ...(isSame && state.answer && { answer: state.answer }),
    ...(acceptedSpec !== undefined && { acceptedSpec }),
  };
}

/**
 * The content of the files in the state of a former process, for files that cannot be read now. Secrets are not among
 * it.
 */
export function rememberedFiles(states: State["records"]): Map<string, FileContent> {
  const files = new Map<string, FileRecord[]>();
  for (const [key, { manifest }] of Object.entries(states)) {
    const { file, line = 1, uid, generation, spec: specInput } = manifest;
    const spec = recordSpec.safeParse(specInput);
    const slash = key.indexOf("/");
    if (file === undefined || !spec.success || slash < 0) continue;
    const record: FileRecord = {
      key,
      namespace: key.slice(0, slash),
      name: key.slice(slash + 1),
      ...(uid !== undefined && { uid }),
      ...(generation !== undefined && { generation }),
      spec: spec.data,
      specInput,
      line,
    };
    files.set(file, [...(files.get(file) ?? []), record]);
  }
  return new Map(
    [...files].map(([file, records]) => [
      file,
      { records, secrets: [], problems: [], broken: new Set<string>(), unclear: false },
    ]),
  );
}
