import { describe, expect, it } from "vitest";
import { type ClusterView, clusterView } from "../../shared/model/cluster.ts";
import { clusterHealth as clusterHealthSchema } from "../../shared/model/overview.ts";
import { clusterHealth, unknownHealth } from "./cluster-health.ts";

const VIEW: ClusterView = clusterView.parse({
  cluster: "east",
  hosts: ["*.example.com"],
  webhookUrl: "https://agent.east.example/v1/delivery?key=S3CR3T",
  clusterUid: "uid-east",
  registeredAt: 1,
  records: 3,
  lastSnapshotAt: 5,
  lastDeliveryAt: 6,
  decided: "7.2",
  acknowledged: "7.2",
  failures: 0,
  conditions: [{ type: "DuplicateAgent", status: "True", reason: "TwoInstances", message: "two push" }],
});

describe("how a cluster does", () => {
  it("has neither its address nor what it is bound to", () => {
    const health = clusterHealthSchema.parse(clusterHealth(VIEW));
    expect(health).toEqual({
      cluster: "east",
      records: 3,
      reachable: true,
      failures: 0,
      backlog: false,
      lastSnapshotAt: 5,
      lastDeliveryAt: 6,
      conditions: [{ type: "DuplicateAgent", reason: "TwoInstances", message: "two push" }],
    });
  });

  it.each<[string, Partial<ClusterView>, object]>([
    ["behind", { acknowledged: "7.1" }, { backlog: true, reachable: true }],
    ["behind by an epoch", { acknowledged: "6.9" }, { backlog: true }],
    ["new, with nothing decided", { decided: "7.0", acknowledged: "0.0" }, { backlog: false }],
    ["ahead, and gone past soon", { acknowledged: "7.3" }, { backlog: false }],
    ["failing", { failures: 2, lastFailure: "answered 500" }, { reachable: false, lastFailure: "answered 500" }],
  ])("is told where it is %s", (_, change, expected) => {
    expect(clusterHealth({ ...VIEW, ...change })).toMatchObject(expected);
  });

  it("is unknown where its object does not answer", () => {
    expect(clusterHealthSchema.parse(unknownHealth("east"))).toMatchObject({ reachable: false, backlog: false });
  });
});
