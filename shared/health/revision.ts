import { digest } from "../hash.ts";
import type { Expectation, ProbeTarget } from "../model/probe.ts";

/**
 * Changes only with the target, the expectation and the secret headers of a probe. Another revision resets the counts. An edit of
 * interval, timeout or thresholds keeps them (docs/design/health.md, counting).
 */
export function revisionOf(target: ProbeTarget, expectation: Expectation, headersDigest: string | undefined): string {
  const { statuses: ranges, body = null, addressPolicy, allowInsecureCertificate, ...added } = expectation;
  const statuses = ranges.map(({ from, to }) => [from, to]).sort((a, b) => compare(a, b));
  // An absent field adds nothing, so that revisions from before the field existed stay the same.
  const insecurity = allowInsecureCertificate ? ["insecure"] : [];
  const later = Object.entries(added).filter(([, value]) => value !== undefined);
  return digest(
    JSON.stringify([
      [target.protocol, target.leaf, target.port, target.host, target.path],
      [statuses, body, addressPolicy, ...insecurity, ...later.sort(([a], [b]) => (a < b ? -1 : 1))],
      headersDigest ?? null,
    ]),
  );
}

const compare = (a: readonly number[], b: readonly number[]) => (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0);
