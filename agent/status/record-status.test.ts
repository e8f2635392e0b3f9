import { describe, expect, it } from "vitest";
import { startController } from "../../test/support/agent/core.ts";
import { delivered, delivery } from "../../test/support/agent/delivered.ts";
import { dnsRecord, type RecordGiven, recordsOf } from "../../test/support/agent/kube-objects.ts";

const [A, B] = ["192.0.2.1", "192.0.2.2"] as const;
const conditions = [{ type: "NotProbeable", status: "True", reason: "AddressNotProbeable", message: "private" }];
const shares = [{ cluster: "here", record: "shop/x", conditions }];
const refused = (...leaves: string[]) => leaves.map((leaf) => ({ leaf, published: true, reason: "NotProbed" }));

describe("Healthy", () => {
  it.each<[string, Partial<RecordGiven>, object, object]>([
    [
      "has no health check",
      { spec: { healthCheck: undefined } },
      {},
      { reason: "NotProbed", message: /no health check/ },
    ],
    ["is a wildcard without a host to ask for", { host: "*.x.test" }, {}, { reason: "NotProbed", message: /wildcard/ }],
    [
      "has only leaves that cannot be probed",
      {},
      { probes: [], shares, leaves: refused(A, B) },
      { reason: "NotProbed", message: /^private$/ },
    ],
    [
      "has one leaf that cannot be probed",
      {},
      { probes: delivered("x.test", [B]).probes, shares, leaves: refused(A) },
      { reason: "Healthy", message: /^$/ },
    ],
    ["was not spoken of", {}, { probes: [], leaves: [] }, { reason: "Pending", message: /not said anything/ }],
  ])(
    "of a record that %s says so",
    async (_, given, said, { reason, message }: { reason?: string; message?: RegExp }) => {
      const { core } = startController();
      await core.takeSource({ complete: true, ...recordsOf([dnsRecord({ name: "x", ...given })]) });
      await core.takeDelivery(delivery({ epoch: 1, n: 1 }, [{ ...delivered("x.test", [A, B]), ...said }]));
      const shown = core.state.records["shop/x"]?.status.conditions.find(({ type }) => type === "Healthy");
      expect(shown).toMatchObject({ reason, message: expect.stringMatching(message ?? "") });
    },
  );
});
