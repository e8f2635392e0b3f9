import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FINALIZER } from "../../../agent/finalizer/finalizer.ts";
import { Scene } from "../support/scene.ts";
import { sharedCluster } from "../support/shared.ts";
import { until } from "../support/world.ts";

const ADDRESSES = ["127.0.0.81", "127.0.0.82", "127.0.0.83"] as const;
const [A, B, C] = ADDRESSES;
const RECORDS = "dnsrecords.vedette.dev";

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.start(sharedCluster(), ADDRESSES, { settings: { LEADER_LEASE: "4s" } });
});
afterAll(() => scene?.stop());
beforeEach(({ onTestFailed }) => {
  for (const gateway of scene.gateways) gateway.status = 200;
  onTestFailed(() => scene.explain());
});

/** Makes a record with a host of its name; resolves when all its addresses are in DNS. */
async function publish(name: string, addresses: readonly string[] = [A, B], more: object = {}): Promise<string> {
  const rootHost = `${name}.${scene.zone}`;
  await scene.world.apply(scene.record(name, { rootHost, addresses, ...more }));
  await scene.untilPublished(rootHost, addresses);
  return rootHost;
}

const remove = (name: string) => scene.kubectl("delete", RECORDS, name, "-n", scene.namespace, "--timeout=150s");

interface ProbeShape {
  metadata: { name: string; uid: string; labels: Record<string, string> };
  spec: { address: string };
  status?: { verdict: string; consecutiveFailures: number };
}

async function probesOf(name: string): Promise<ProbeShape[]> {
  const all = await scene.world.list<ProbeShape>("dnshealthcheckprobes.vedette.dev", scene.namespace);
  return all.filter(({ metadata }) => metadata.labels["vedette.dev/record"] === name);
}

describe("our finalizer", () => {
  test("taken away by a person: set again, and nothing leaves DNS", async () => {
    const host = await publish("claimed");
    await until(
      "the record to be healthy",
      async () => (await scene.condition("claimed", "Healthy"))?.status === "True",
    );
    const [mark, happened] = [scene.published.mark(host), scene.published.objects.length];
    const said = scene.world.replicas[0]!.log.length;
    for (let times = 0; times < 3; times += 1) {
      await scene.kubectl(
        "patch",
        RECORDS,
        "claimed",
        "-n",
        scene.namespace,
        "--type=merge",
        "-p",
        '{"metadata":{"finalizers":null}}',
      );
      await until("it to be claimed again", async () =>
        (await scene.read("claimed"))?.metadata.finalizers?.includes(FINALIZER),
      );
    }
    // What comes later is in DNS later: whatever the three times had brought about is by then.
    scene.gateways[0]!.status = 500;
    await scene.untilPublished(host, [B]);
    expect(scene.published.since(host, mark)).toEqual([`${A} ${B}`, B]);
    expect(scene.published.objects.slice(happened)).toEqual([]);
    expect(scene.world.replicas[0]!.log.slice(said)).not.toContain("no record names this host");
  });

  test("not to be set: nothing is pushed; once it can be: pushed", async () => {
    await scene.withoutRights(["patch"], ["dnsrecords"], async () => {
      const since = Date.now();
      const rootHost = `unclaimed.${scene.zone}`;
      await scene.world.apply(scene.record("unclaimed", { rootHost, addresses: [A] }));
      const refused = () =>
        scene.world.cluster
          .auditEvents()
          .filter(
            (event) =>
              event.receivedAtMs >= since &&
              event.name === "unclaimed" &&
              event.resource === "dnsrecords" &&
              event.code === 403,
          );
      await until("the finalizer to be refused twice", () => refused().length >= 2);
      expect(await scene.atEdge(rootHost)).toBeUndefined();
      expect(scene.published.targets(rootHost)).toBe("");
    });
    await scene.untilPublished(`unclaimed.${scene.zone}`, [A]);
    expect((await scene.read("unclaimed"))?.metadata.finalizers).toEqual([FINALIZER]);
  });
});

describe("the health check turned off", () => {
  test("the probe objects go, a withdrawn address is back, and no gateway is asked any more", async () => {
    const host = await publish("unchecked");
    scene.gateways[0]!.status = 500;
    await scene.untilPublished(host, [B]);
    expect(await probesOf("unchecked")).toHaveLength(2);
    await scene.kubectl(
      "patch",
      RECORDS,
      "unchecked",
      "-n",
      scene.namespace,
      "--type=merge",
      "-p",
      '{"spec":{"healthCheck":null}}',
    );
    await scene.untilPublished(host, [A, B]);
    await until("its probe objects to be gone", async () => (await probesOf("unchecked")).length === 0);
    const asks = (name: string) => scene.gateways[0]!.asked.filter((headers) => headers.host?.startsWith(name)).length;
    // Probes of another record at the same gateway tell that two intervals have passed.
    scene.gateways[0]!.status = 200;
    await publish("checked", [A], { healthCheck: { interval: "2s" } });
    const [others, own] = [asks("checked."), asks("unchecked.")];
    await until("the other record to be probed in two more rounds", () => asks("checked.") >= others + 6);
    expect(asks("unchecked.") - own).toBe(0);
    console.log(`asked ${own} times before, ${asks("unchecked.") - own} times after`);
  });
});

describe("a record that is made again under its old name", () => {
  test("has the defaults, counts from 0, and hears nothing of its former life", async () => {
    const host = await publish("again", [A, B], { healthCheck: { failureThreshold: undefined } });
    const first = (await scene.read("again"))!;
    scene.gateways[0]!.status = 500;
    await scene.untilPublished(host, [B]);
    const old = await probesOf("again");
    await remove("again");
    const mark = scene.published.mark(host);
    scene.gateways[0]!.status = 200;
    await publish("again", [A, B], { healthCheck: { failureThreshold: undefined } });
    const second = (await scene.read("again"))!;
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    expect(second.spec).toEqual(first.spec);
    expect(second.spec).toMatchObject({
      minPublished: 1,
      healthCheck: { failureThreshold: 5, successThreshold: expect.any(Number) },
    });
    const probes = await until("its probe objects", async () => {
      const all = await probesOf("again");
      return all.length === 2 && all.every(({ status }) => status !== undefined) && all;
    });
    for (const { status, metadata } of probes) {
      expect(status).toMatchObject({ consecutiveFailures: 0 });
      expect(status?.verdict).not.toBe("Unhealthy");
      expect(old.map((one) => one.metadata.uid)).not.toContain(metadata.uid);
    }
    await scene.untilCondition("again", "Healthy", "True Healthy");
    console.log(`in DNS since the deletion: ${scene.published.since(host, mark).join(" → ")}`);
  });
});

describe("a spec that is refused after one that was taken", () => {
  const cycle = (host: string) => [
    { dnsName: host, recordType: "CNAME", targets: [`a.${host}`] },
    { dnsName: `a.${host}`, recordType: "CNAME", targets: [host] },
  ];
  const twice = (host: string) => [
    { dnsName: host, recordType: "A", targets: [A] },
    { dnsName: host, recordType: "A", targets: [B] },
  ];

  const WRONG = { "a-cycle": cycle, "two-of-one-key": twice };

  test("a cycle, and two of one key: what was taken stays in DNS, also over a restart", async () => {
    const marks = new Map<string, number>();
    for (const [name, endpoints] of Object.entries(WRONG)) {
      const host = await publish(name);
      await scene.untilCondition(name, "Accepted", "True Accepted");
      marks.set(host, scene.published.mark(host));
      await scene.world.apply(
        scene.record(name, { rootHost: host, addresses: [], spec: { endpoints: endpoints(host) } }),
      );
      console.log(`${name}: ${(await untilRefused(name)).message}`);
    }
    await restart();
    // They are judged by what they said: the leaves that they had are probed.
    scene.gateways[0]!.status = 500;
    for (const host of marks.keys()) await scene.untilPublished(host, [B]);
    for (const [host, mark] of marks) {
      const name = host.slice(0, host.indexOf("."));
      expect((await scene.condition(name, "Accepted"))?.status).toBe("False");
      await scene.world.apply(scene.record(name, { rootHost: host, addresses: [B, C] }));
      await scene.untilPublished(host, [B, C]);
      await scene.untilCondition(name, "Accepted", "True Accepted");
      expect(scene.published.since(host, mark)).toEqual([`${A} ${B}`, B, `${B} ${C}`]);
    }
  });

  test("a record whose host the cluster may not name is not published, and says so", async () => {
    const rootHost = "api.elsewhere.test";
    await scene.world.apply(scene.record("elsewhere", { rootHost, addresses: [A] }));
    const { message, reason } = await untilRefused("elsewhere");
    console.log(`${reason}: ${message}`);
    expect(message).toContain(rootHost);
    expect(scene.published.seen.has(rootHost)).toBe(false);
    await remove("elsewhere");
  });
});

function untilRefused(name: string) {
  return until(`${name} to be refused`, async () => {
    const condition = await scene.condition(name, "Accepted");
    return condition?.status === "False" && condition;
  });
}

/** Restarts the replica, where the edge finds it. */
async function restart(): Promise<void> {
  const [replica] = scene.world.replicas;
  await replica!.process.stop("SIGKILL");
  await replica!.process.start();
  await until("it to lead again", () => replica!.isLeader());
}

describe("two records with one root host", () => {
  test("one DNSEndpoint, held by the older; deleted, it hands over without a gap", async () => {
    const host = `both.${scene.zone}`;
    await scene.world.apply(scene.record("older", { rootHost: host, addresses: [A] }));
    await scene.untilPublished(host, [A]);
    // Creation times have whole seconds, and of two as old the names decide.
    await scene.world.apply(scene.record("newer", { rootHost: host, addresses: [B] }));
    await scene.untilPublished(host, [A, B]);
    const held = () => scene.published.names.filter((name) => name === "older" || name === "newer");
    const holder = held();
    expect(holder).toHaveLength(1);
    const mark = scene.published.mark(host);
    const [leaves, stays] = holder[0] === "older" ? (["older", "newer"] as const) : (["newer", "older"] as const);
    await remove(leaves);
    const left = stays === "newer" ? B : A;
    await scene.untilPublished(host, [left]);
    await until("the other to hold it", () => held().join() === stays);
    const seen = scene.published.since(host, mark);
    console.log(`${leaves} held it; in DNS: ${seen.join(" → ")}; ${scene.published.objects.slice(-2).join(", ")}`);
    expect(seen).toEqual([`${A} ${B}`, left]);
  });
});

describe("a status beside another writer", () => {
  test("spec and generation stay, and so does what the other wrote", async () => {
    const host = await publish("beside");
    const { spec, metadata } = (await scene.read("beside"))!;
    const foreign = {
      type: "example.com/Seen",
      status: "True",
      reason: "Seen",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const status = JSON.stringify({
      apiVersion: "vedette.dev/v1alpha1",
      kind: "DNSRecord",
      metadata: { name: "beside", namespace: scene.namespace },
      status: { conditions: [foreign] },
    });
    const flips = [500, 200, 500, 200];
    for (const [index, code] of flips.entries()) {
      scene.gateways[0]!.status = code;
      await scene.kubectl(
        "label",
        RECORDS,
        "beside",
        "-n",
        scene.namespace,
        "--overwrite",
        `example.com/round=${index}`,
      );
      await scene.world.cluster.kubectlOk(
        ["apply", "--server-side", "--subresource=status", "--field-manager=other", "-f", "-"],
        status,
      );
      await scene.untilPublished(host, code === 500 ? [B] : [A, B]);
    }
    await scene.untilCondition("beside", "Healthy", "True Healthy");
    const after = (await scene.read("beside"))!;
    expect(after.spec).toEqual(spec);
    expect(after.metadata.generation).toBe(metadata.generation);
    expect(after.metadata).toMatchObject({ labels: { "example.com/round": `${flips.length - 1}` } });
    expect(after.status?.conditions).toContainEqual(foreign);
  });
});
