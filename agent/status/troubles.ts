import type { OwnRecordStatus } from "./state.ts";

/** Conditions that say that a leaf is not watched as its owner asked, and the status in which they say so. */
const UNWATCHED: Readonly<Record<string, "True" | "False">> = {
  HeadersReady: "False",
  Resting: "True",
  NotChecked: "True",
  NotProbeable: "True",
  Conflict: "True",
};

/**
 * What a person has to mend in a record before its leaves are watched as asked, a line for each. They stay published
 * meanwhile, so that nobody would notice a mistyped Secret by the answers of DNS.
 */
export function troublesOf(
  records: Readonly<Record<string, { status: Pick<OwnRecordStatus, "conditions"> }>>,
): string[] {
  return Object.entries(records).flatMap(([key, { status }]) =>
    status.conditions
      .filter((condition) => UNWATCHED[condition.type] === condition.status)
      .map(
        ({ type, reason, message }) =>
          `${key} is published without being watched as asked (${type}, ${reason}): ${message}`,
      ),
  );
}
