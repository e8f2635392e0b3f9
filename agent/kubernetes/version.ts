const NUMBER = /^[1-9][0-9]*$/;

/**
 * Which of two resourceVersions of one kind is the older, as `Array.sort` wants it; undefined where they cannot be compared.
 * They are numbers of any length that only grow, by Kubernetes' own conformance tests since 1.35
 * (https://www.kubernetes.dev/resources/keps/5504/) and in every API server on etcd before.
 */
export function compareVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === b) return 0;
  if (a === undefined || b === undefined || !NUMBER.test(a) || !NUMBER.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Whether `a` is known to be older than `b`: of versions that cannot be compared none is, so that the newest read wins. */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  return (compareVersions(a, b) ?? 0) < 0;
}
