import { digest } from "../hash.ts";
import type { Expectation, ProbeTarget } from "../model/probe.ts";

/**
 * Changes with the target, the expectation and the secret headers of a probe, and only with them: another revision
 * starts the counts anew, while an edit of interval, timeout or thresholds keeps them (design §3, counting).
 */
export function revisionOf(target: ProbeTarget, expectation: Expectation, headersDigest: string | undefined): string {
  const statuses = expectation.statuses.map(({ from, to }) => [from, to]).sort((a, b) => compare(a, b));
  // Nothing where it is not set, so that revisions from before the field was there stay what they were.
  const insecurity = expectation.allowInsecureCertificate ? ["insecure"] : [];
  return digest(
    JSON.stringify([
      [target.protocol, target.leaf, target.port, target.host, target.path],
      [statuses, expectation.body ?? null, expectation.addressPolicy, ...insecurity],
      headersDigest ?? null,
    ]),
  );
}

const compare = (a: readonly number[], b: readonly number[]) => (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0);
