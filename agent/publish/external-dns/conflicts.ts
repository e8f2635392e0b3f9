import type { Condition } from "../../../shared/model/condition.ts";
import type { WriteFailure } from "../../apply/next-action.ts";
import { refKey } from "../../kubernetes/object.ts";

/**
 * What keeps DNSEndpoints from being as they should be until somebody mends it, by the record that would hold each: it has its
 * name. What may succeed by itself is none.
 */
export function conflictsOf(troubles: readonly WriteFailure[]): Map<string, Condition> {
  const lasting = troubles.filter(({ reason }) => reason !== "Unavailable");
  return new Map(
    lasting.map(({ ref, reason, message }) => {
      const about = `DNSEndpoint ${refKey(ref)}: ${message}`;
      return [
        refKey(ref),
        { type: "PublisherConflict", status: "True", reason: `${reason}Object`, message: about },
      ] as const;
    }),
  );
}
