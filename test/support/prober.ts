import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Assignment } from "../../shared/model/messages/assignment.ts";
import type { ProbeReport, Report } from "../../shared/model/messages/report.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import type { Probe } from "../../shared/model/probe.ts";
import type { Env } from "../../workers/env.ts";
import type { ProberDependencies } from "../../workers/prober/dependencies.ts";
import type { Prober } from "../../workers/prober/prober.ts";
import type { ProberRpc } from "../../workers/rpc.ts";

type ProberStub = DurableObjectStub;

/** A prober that no other test uses; the same again by its name, for a stub whose object was aborted stays broken. */
export function freshProber(name = `weur/0/test/${crypto.randomUUID()}`): ProberStub {
  const { PROBER } = env as Env;
  return PROBER.getByName(name);
}

/** The timeout for hanging targets: as short as a busy machine allows without affecting other probes. */
export const brief = { timeoutMs: 500 };

/** A probe of 127.0.0.1 with thresholds of 2, changed as given; `revision` follows the target. */
export function probeOf(id: string, port: number, change: Partial<Probe> = {}): Probe {
  return {
    id,
    revision: `${port}`,
    target: { protocol: "HTTP", leaf: "127.0.0.1", port, host: "shop.test", path: "/" },
    expectation: { statuses: [{ from: 200, to: 299 }], addressPolicy: "Any" },
    timeoutMs: 5_000,
    failureThreshold: 2,
    successThreshold: 2,
    ...change,
  };
}

/** An assignment of shard 0, with an interval that is long enough for no alarm to come by itself. */
export function assignmentOf(n: number, probes: Probe[], intervalMs = 600_000): Assignment {
  const shard = { region: "weur" as const, partition: 0, intervalMs, n: 0, regions: ["weur" as const] };
  return { version: 1, shard, number: { epoch: 1, n }, probes };
}

export function assign(stub: ProberStub, assignment: Assignment): Promise<{ number: MessageNumber }> {
  return (stub as unknown as ProberRpc).assign(assignment);
}

/** Runs within the object. */
export function inProber<Value>(
  stub: ProberStub,
  run: (prober: Prober, state: DurableObjectState) => Value | Promise<Value>,
): Promise<Value> {
  return runInDurableObject<Prober, Value>(stub as DurableObjectStub<Prober>, run);
}

/** Puts doubles in the place of what the prober does outside itself, and collects its reports. */
export function standIn(stub: ProberStub, doubles: Partial<ProberDependencies> = {}): Promise<Report[]> {
  return inProber(stub, (prober) => {
    const reports: Report[] = [];
    const sendReport = (report: Report) => {
      reports.push(structuredClone(report));
      return Promise.resolve({});
    };
    Object.assign(prober.dependencies, { sendReport }, doubles);
    return reports;
  });
}

/** The result of each probe in a report, by its id. */
export function byId(report: Report | undefined): Record<string, ProbeReport> {
  return Object.fromEntries((report?.probes ?? []).map((probe) => [probe.id, probe]));
}
