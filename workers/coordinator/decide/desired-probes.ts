import { digest } from "../../../shared/hash.ts";
import { expectationOf } from "../../../shared/health/expectation.ts";
import { revisionOf } from "../../../shared/health/revision.ts";
import { addressFamily } from "../../../shared/model/address.ts";
import type { Condition } from "../../../shared/model/condition.ts";
import { formatFieldError } from "../../../shared/model/field-error.ts";
import type { HealthCheck } from "../../../shared/model/health-check.ts";
import type { ProbeTarget } from "../../../shared/model/probe.ts";
import { notProbeable } from "../../../shared/probeable.ts";
import { hasProbeHost, probeHost } from "../../../shared/record/probe-host.ts";
import { portFault } from "../../allowed-ports.ts";
import { type CoordinatorSettings, type DesiredProbe, recordOf, type Share } from "../state.ts";

const MAX_ADDRESSES_NAMED = 5;

/**
 * The probes that a share needs, and the conditions for leaves that are not probed. `leaves` are those of the whole
 * record.
 */
export function desiredProbes(
  share: Share,
  leaves: ReadonlySet<string>,
  settings: CoordinatorSettings,
): { probes: DesiredProbe[]; conditions: Condition[] } {
  const check = share.spec.healthCheck;
  if (check === undefined) return { probes: [], conditions: [] };
  const port = portCondition(check, settings);
  if (port.length > 0) return { probes: [], conditions: port };
  const named = new Set(share.spec.endpoints.flatMap(({ targets }) => targets).filter((target) => leaves.has(target)));
  const askable = [...named].filter((leaf) => hasProbeHost(share.spec, check, leaf)).sort();
  const faults = askable.flatMap((leaf) => unprobeable(leaf, settings));
  const refused = new Set(faults.map(({ leaf }) => leaf));
  return {
    probes: askable.filter((leaf) => !refused.has(leaf)).map((leaf) => desiredProbe(share, check, leaf)),
    conditions: [...wildcardCondition(share, named.size - askable.length), ...notProbeableCondition(faults)],
  };
}

function desiredProbe(share: Share, check: HealthCheck, leaf: string): DesiredProbe {
  const host = probeHost(share.spec, check);
  const target: ProbeTarget = { protocol: check.protocol, leaf, port: check.port, host, path: check.path };
  const expectation = expectationOf(check);
  const id = `${recordOf(share)}/${leaf}`;
  return {
    id,
    cluster: share.cluster,
    record: share.record,
    leaf,
    check,
    probe: {
      id,
      revision: ownRevision(share, revisionOf(target, expectation, share.headers?.digest)),
      target,
      expectation,
      ...(share.headers !== undefined && { headers: share.headers }),
      timeoutMs: check.timeoutMs,
      confirmIntervalMs: check.confirmIntervalMs,
      failureThreshold: check.failureThreshold,
      successThreshold: check.successThreshold,
    },
    resting: share.resting,
  };
}

/** An object that was deleted and recreated under its name is a different object: its probes start again. */
function ownRevision(share: Share, revision: string): string {
  return share.uid === undefined ? revision : `${revision}.${digest(share.uid).slice(0, 8)}`;
}

function unprobeable(leaf: string, settings: CoordinatorSettings): { leaf: string; why: string }[] {
  if (addressFamily(leaf) === undefined) return [];
  const why = notProbeable(leaf, settings.allowPrivate);
  return why === undefined ? [] : [{ leaf, why }];
}

/** Clusters refuse such a record now. This one was accepted while the port was allowed. */
function portCondition({ port }: HealthCheck, { allowedPorts }: CoordinatorSettings): Condition[] {
  const rule = portFault(port, allowedPorts);
  if (rule === undefined) return [];
  const message = `published unprobed: ${formatFieldError({ field: "spec.healthCheck.port", value: `${port}`, rule })}`;
  return [{ type: "NotProbeable", status: "True", reason: "PortNotAllowed", message }];
}

function wildcardCondition(share: Share, leaves: number): Condition[] {
  if (leaves === 0) return [];
  const message = `${leaves} leaves of ${share.spec.rootHost} stand behind a wildcard and are published unprobed: name a healthCheck.host to have them probed`;
  return [{ type: "NotChecked", status: "True", reason: "WildcardHost", message }];
}

function notProbeableCondition(faults: readonly { why: string }[]): Condition[] {
  if (faults.length === 0) return [];
  const named = faults.slice(0, MAX_ADDRESSES_NAMED).map(({ why }) => why);
  const more = faults.length - named.length;
  const message = `published unprobed: ${named.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
  return [{ type: "NotProbeable", status: "True", reason: "AddressNotProbeable", message }];
}
