import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { gateway, policy, written } from "../../../test/support/gateways.ts";
import type { KubeObject } from "../../kubernetes/object.ts";
import { systemClock } from "../../runtime/clock.ts";
import { GatewayController } from "./gateway-controller.ts";
import type { GatewayPort } from "./writes.ts";

const A = "192.0.2.1";
const B = "192.0.2.2";
const web = (...addresses: string[]) => gateway("web", { listeners: [["https", "one.test"]], addresses });

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

class FakeKind {
  isSynced = true;
  isUnknown = false;
  objects: KubeObject[];
  constructor(...objects: KubeObject[]) {
    this.objects = objects;
  }
  list = () => this.objects;
}

/** A controller over lists in memory, which its own writes change as the API server would. */
function start() {
  const gateways = new FakeKind(web(A));
  const policies = new FakeKind(policy("p", "web"));
  const records = new FakeKind();
  const calls: [ms: number, call: string][] = [];
  const lines: string[] = [];
  const hooks: { before: (call: string) => Promise<void> | undefined } = { before: () => undefined };
  const does = async (verb: string, object: KubeObject, changes: Partial<Parameters<typeof written>[1]>) => {
    const call = `${verb} ${object.metadata.name}`;
    calls.push([Date.now(), call]);
    await hooks.before(call);
    const world = { gateways: gateways.objects, policies: policies.objects, records: records.objects };
    const after = written(world, { applies: [], deletes: [], statuses: [], ...changes });
    records.objects = [...after.records];
    policies.objects = [...(after.policies ?? [])];
    controller.changed();
  };
  const server: { gateways?: KubeObject[] | undefined } = {};
  const port: GatewayPort = {
    readAnew: async () => {
      await hooks.before("read");
      return { gateways: gateways.objects, policies: policies.objects, ...server };
    },
    applyRecord: (object) => does("apply", object, { applies: [object] }),
    deleteRecord: (object) => does("delete", object, { deletes: [object] }),
    applyPolicyStatus: (object, status) => does("status", object, { statuses: [{ policy: object, status }] }),
  };
  const controller: GatewayController = new GatewayController({
    gateways,
    policies,
    records,
    port,
    windowMs: 1_000,
    log: (_, message) => lines.push(message),
    clock: { ...systemClock, elapsedMs: () => Date.now() },
    random: () => 1,
  });
  controller.start();
  return { server, controller, gateways, policies, records, calls, lines, hooks };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const targets = (records: FakeKind) =>
  records.objects.map(({ metadata, spec }) => {
    const { endpoints } = spec as { endpoints: { targets: string[] }[] };
    return [metadata.name, ...endpoints.flatMap((endpoint) => endpoint.targets)].join(" ");
  });

describe("the controller", () => {
  it("writes records and statuses at once, and nothing more when nothing changes", async () => {
    const { controller, calls, records } = start();
    await pass(0);
    expect(calls.map(([, call]) => call)).toEqual(["apply web-https", "status p"]);
    expect(targets(records)).toEqual([`web-https ${A}`]);
    controller.changed();
    await pass(3_600_000);
    expect(calls).toHaveLength(2);
  });

  it.each(["gateways", "policies", "records"] as const)("writes nothing before the %s have been read", async (kind) => {
    const { controller, calls, ...kinds } = start();
    kinds[kind].isSynced = false;
    controller.changed();
    await pass(3_600_000);
    expect(calls).toEqual([]);
    kinds[kind].isSynced = true;
    controller.changed();
    await pass(1_000);
    expect(calls).toHaveLength(2);
  });

  it("lets changes gather for a window, also while more keep coming", async () => {
    const { controller, calls, gateways } = start();
    await pass(10_000);
    for (let n = 0; n < 40; n += 1) {
      gateways.objects = [web(n % 2 === 0 ? B : A, `192.0.2.${n + 10}`)];
      controller.changed();
      await pass(50);
    }
    await pass(5_000);
    const applied = calls.filter(([ms, call]) => ms > 0 && call === "apply web-https").map(([ms]) => ms);
    expect(applied).toEqual([10_000, 11_000, 12_000]);
  });

  it("has one pass under way at most, and looks again after what changed meanwhile", async () => {
    const { controller, calls, gateways, hooks, records } = start();
    const gate = Promise.withResolvers<void>();
    hooks.before = () => gate.promise;
    await pass(0);
    gateways.objects = [web(B)];
    controller.changed();
    await pass(60_000);
    expect(calls).toHaveLength(2);
    hooks.before = () => undefined;
    gate.resolve();
    await pass(2_000);
    expect(targets(records)).toEqual([`web-https ${B}`]);
  });

  it("writes the others when one fails, tries that one with growing patience, and says so once", async () => {
    const { calls, gateways, hooks, lines, records, policies, controller } = start();
    gateways.objects.push(gateway("bad", { listeners: [["https", "bad.test"]], addresses: [A] }));
    policies.objects.push(policy("q", "bad"));
    let isBroken = true;
    hooks.before = async (call) => {
      if (isBroken && call === "apply bad-https") throw new Error("507 no room");
    };
    await pass(60_000);
    expect(targets(records)).toEqual([`web-https ${A}`]);
    const tries = () => calls.filter(([, call]) => call === "apply bad-https").map(([ms]) => ms / 1_000);
    expect(tries()).toEqual([0, 1, 3, 7, 15, 31]);
    controller.changed();
    await pass(30_000);
    expect(lines).toEqual(["The DNSRecord shop/bad-https could not be written: 507 no room"]);
    isBroken = false;
    await pass(60_000);
    expect(targets(records)).toEqual([`web-https ${A}`, `bad-https ${A}`]);
    expect(lines.at(-1)).toBe("The DNSRecord shop/bad-https is as it should be again");
  });

  it("tries at once what is to be written now, though something else failed just before", async () => {
    const { calls, gateways, hooks, controller } = start();
    hooks.before = async (call) => {
      if (call === "apply web-https") throw new Error("no");
    };
    await pass(16_000);
    calls.length = 0;
    gateways.objects = [web(B)];
    controller.changed();
    await pass(0);
    expect(calls).toEqual([[16_000, "apply web-https"]]);
  });

  it("takes the last record from no host whose new one could not be written", async () => {
    const { gateways, hooks, controller, records } = start();
    await pass(10_000);
    hooks.before = async (call) => {
      if (call.startsWith("apply")) throw new Error("no");
    };
    gateways.objects = [gateway("web", { listeners: [["tls", "one.test"]], addresses: [A] })];
    controller.changed();
    await pass(60_000);
    expect(targets(records)).toEqual([`web-https ${A}`]);
    hooks.before = () => undefined;
    await pass(60_000);
    expect(targets(records)).toEqual([`web-tls ${A}`]);
  });

  it("deletes nothing that the API server still has a Gateway for, or cannot say so", async () => {
    const { gateways, server, hooks, lines, controller, records, calls } = start();
    await pass(10_000);
    gateways.objects = [];
    for (const now of [[web(A)], undefined]) {
      server.gateways = now;
      controller.changed();
      await pass(60_000);
      expect(targets(records)).toEqual([`web-https ${A}`]);
    }
    server.gateways = [];
    hooks.before = async (call) => {
      if (call === "read") throw new Error("no answer");
    };
    controller.changed();
    await pass(60_000);
    expect(targets(records)).toEqual([`web-https ${A}`]);
    expect(lines.at(-1)).toMatch(/^Records that seem to be left over stay, .*: no answer$/);
    hooks.before = () => undefined;
    await pass(60_000);
    expect(targets(records)).toEqual([]);
    expect(calls.filter(([, call]) => call === "delete web-https")).toHaveLength(1);
  });

  it("does not fight another writer in a hot loop", async () => {
    const { calls, controller, records } = start();
    await pass(0);
    const undo = setInterval(() => {
      records.objects = records.objects.map((object) => ({
        ...object,
        spec: { ...(object.spec as object), minPublished: 9 },
      }));
      controller.changed();
    }, 100);
    await pass(600_000);
    clearInterval(undo);
    expect(calls.filter(([, call]) => call.startsWith("apply")).length).toBeLessThan(20);
  });

  it("deletes nothing while the cluster does not know Gateways, and tells the policies", async () => {
    const { calls, gateways, controller, records, policies } = start();
    await pass(10_000);
    gateways.isUnknown = true;
    gateways.objects = [];
    controller.changed();
    await pass(60_000);
    expect(targets(records)).toEqual([`web-https ${A}`]);
    expect(JSON.stringify(policies.objects[0]?.status)).toContain("TargetNotFound");
    expect(calls.at(-1)?.[1]).toBe("status p");
    gateways.isUnknown = false;
    controller.changed();
    await pass(1_000);
    expect(targets(records)).toEqual([]);
  });

  it("begins nothing after it was stopped, and ends what is under way", async () => {
    const { calls, controller, hooks, gateways } = start();
    const gate = Promise.withResolvers<void>();
    hooks.before = () => gate.promise;
    await pass(0);
    const stopped = controller.stop();
    gate.resolve();
    await stopped;
    gateways.objects = [];
    controller.changed();
    await pass(600_000);
    expect(calls).toHaveLength(2);
  });

  it("survives an object that nobody could think of", async () => {
    const { calls, lines, records } = start();
    records.list = () => {
      throw new Error("out of its mind");
    };
    await pass(59_999);
    expect(lines).toEqual(["Unexpected error in the records of Gateways: out of its mind"]);
    records.list = () => records.objects;
    await pass(1);
    expect(calls).toHaveLength(2);
  });
});
