import { describe, expect, it } from "vitest";
import { AgentMetrics } from "../metrics/metrics.ts";
import { makeOperations } from "./operations.ts";

const scrape = async () => ({ contentType: "text/plain; version=0.0.4; charset=utf-8", text: "up 1\n" });

describe("the operations port", () => {
  it("is alive whatever is not ready", async () => {
    const app = makeOperations({ notReady: () => ["dnsrecords: not listed yet"], scrape });
    expect((await app.request("/healthz")).status).toBe(200);
  });

  it("names on /readyz everything that is not ready, one a line", async () => {
    let missing = ["dnsrecords: not listed yet", "no leader is known"];
    const app = makeOperations({ notReady: () => missing, scrape });
    const before = await app.request("/readyz");
    expect(before.status).toBe(503);
    expect(await before.text()).toBe("not ready: dnsrecords: not listed yet\nnot ready: no leader is known\n");
    missing = [];
    const after = await app.request("/readyz");
    expect([after.status, await after.text()]).toEqual([200, "ok\n"]);
  });

  it("gives the metrics with the content type that Prometheus asks for", async () => {
    const metrics = new AgentMetrics({ contact: () => undefined });
    const app = makeOperations({ notReady: () => [], scrape: () => metrics.scrape() });
    const response = await app.request("/metrics");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await response.text()).toContain("process_cpu_seconds_total");
  });

  it("answers other paths and methods with what there is", async () => {
    const app = makeOperations({ notReady: () => [], scrape });
    for (const [path, method] of [
      ["/", "GET"],
      ["/v1/delivery", "POST"],
      ["/metrics", "POST"],
    ] as const) {
      const response = await app.request(path, { method });
      expect([response.status, await response.text()]).toEqual([
        404,
        "There are GET /healthz, GET /readyz and GET /metrics.\n",
      ]);
    }
  });
});
