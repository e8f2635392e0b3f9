import { beforeEach, describe, expect, it } from "vitest";
import { AgentMetrics, type MetricsOptions } from "./metrics.ts";
import type { RecordSample, RecordSamples } from "./record-series.ts";

let metrics: AgentMetrics;
let contact: ReturnType<MetricsOptions["contact"]>;
beforeEach(() => {
  contact = undefined;
  metrics = new AgentMetrics({ contact: () => contact });
});

/** The lines of the metrics whose names start so, without comments. */
async function lines(prefix: string, from = metrics): Promise<string[]> {
  const { text } = await from.scrape();
  return text.split("\n").filter((line) => line.startsWith(prefix));
}

type Verdicts = Record<string, string | [verdict: string, failures: number]>;

const record = (verdicts: Verdicts, withheld: string[] = [], accepted = "True"): RecordSample => ({
  status: {
    conditions: [{ type: "Accepted", status: accepted }],
    leaves: Object.keys(verdicts).map((leaf) => ({ published: !withheld.includes(leaf) })),
    probes: Object.entries(verdicts).map(([leaf, said]) => {
      const [verdict, consecutiveFailures] = typeof said === "string" ? [said, 0] : said;
      return { leaf, verdict, consecutiveFailures };
    }),
  },
});

describe("what the agent did", () => {
  it.each([
    [
      "reconciles, and how long they took",
      () => metrics.observeReconcile("gateway", "error", 20),
      "vedette_agent_reconcile",
      [
        'vedette_agent_reconciles_total{controller="gateway",result="error"} 1',
        'vedette_agent_reconcile_duration_seconds_sum{controller="gateway"} 0.02',
      ],
    ],
    [
      "deliveries by what became of them",
      () => {
        for (const result of ["applied", "applied", "not_stored"] as const) metrics.countDelivery(result);
      },
      "vedette_agent_deliveries",
      ['vedette_agent_deliveries_total{result="applied"} 2', 'vedette_agent_deliveries_total{result="not_stored"} 1'],
    ],
    [
      "lag in seconds, and none below zero where clocks differ",
      () => metrics.observeLag(-500, [1_500, -1]),
      "vedette_agent_de",
      [
        "vedette_agent_delivery_lag_seconds_sum 0",
        "vedette_agent_delivery_lag_seconds_count 1",
        "vedette_agent_decision_lag_seconds_sum 1.5",
        "vedette_agent_decision_lag_seconds_count 2",
      ],
    ],
    [
      "snapshots, and the records in the last one",
      () => {
        metrics.observePush("Taken", 35);
        metrics.observePush("Overtaken", 36);
      },
      "vedette_agent_snapshot",
      [
        'vedette_agent_snapshot_pushes_total{result="taken"} 1',
        'vedette_agent_snapshot_pushes_total{result="overtaken"} 1',
        "vedette_agent_snapshot_records 36",
      ],
    ],
  ])("counts %s", async (_name, act, prefix, expected) => {
    act();
    expect(await lines(prefix)).toEqual(expect.arrayContaining(expected));
  });

  it("counts calls of the API server, and writes apart from reads", async () => {
    metrics.observeRequest({ verb: "list", kind: "DNSRecord", code: 200, ms: 5 });
    metrics.observeRequest({ verb: "watch", kind: "DNSRecord", code: 410, ms: 300_000 });
    metrics.observeRequest({ verb: "apply", kind: "DNSEndpoint", code: 200, ms: 5 });
    metrics.observeRequest({ verb: "apply status of", kind: "DNSRecord", code: 409, ms: 5 });
    metrics.observeRequest({ verb: "replace", kind: "Lease", code: 0, ms: 5 });
    expect(await lines("vedette_agent_api_requests_total")).toEqual([
      'vedette_agent_api_requests_total{verb="list",kind="DNSRecord",code="200"} 1',
      'vedette_agent_api_requests_total{verb="watch",kind="DNSRecord",code="410"} 1',
      'vedette_agent_api_requests_total{verb="apply",kind="DNSEndpoint",code="200"} 1',
      'vedette_agent_api_requests_total{verb="apply_status",kind="DNSRecord",code="409"} 1',
      'vedette_agent_api_requests_total{verb="replace",kind="Lease",code="0"} 1',
    ]);
    expect(await lines("vedette_agent_api_writes_total")).toEqual([
      'vedette_agent_api_writes_total{kind="DNSEndpoint",result="written"} 1',
      'vedette_agent_api_writes_total{kind="DNSRecord",result="failed"} 1',
      'vedette_agent_api_writes_total{kind="Lease",result="failed"} 1',
    ]);
    expect(await lines("vedette_agent_api_request_duration_seconds_count")).toEqual([
      'vedette_agent_api_request_duration_seconds_count{verb="list"} 1',
      'vedette_agent_api_request_duration_seconds_count{verb="apply"} 1',
      'vedette_agent_api_request_duration_seconds_count{verb="apply_status"} 1',
      'vedette_agent_api_request_duration_seconds_count{verb="replace"} 1',
    ]);
  });

  it("tells of the edge's contact as of the scrape, and nothing in a replica that does not listen for it", async () => {
    expect(await lines("vedette_agent_edge")).toEqual([]);
    contact = { ageMs: 12_500, isSilent: false };
    expect(await lines("vedette_agent_edge")).toEqual([
      "vedette_agent_edge_contact_age_seconds 12.5",
      "vedette_agent_edge_silent 0",
    ]);
    contact = { ageMs: 301_000, isSilent: true };
    expect(await lines("vedette_agent_edge")).toEqual([
      "vedette_agent_edge_contact_age_seconds 301",
      "vedette_agent_edge_silent 1",
    ]);
    contact = undefined;
    expect(await lines("vedette_agent_edge")).toEqual([]);
  });

  it("has a help text for each metric, and the process's own", async () => {
    const { text } = await metrics.scrape();
    const named = (what: string) => [...text.matchAll(new RegExp(`^# ${what} (\\S+) (.*)$`, "gm"))];
    expect(named("HELP").map(([, name]) => name)).toEqual(named("TYPE").map(([, name]) => name));
    expect(named("HELP").every(([, , help]) => help !== "")).toBe(true);
    expect(text).toContain("\nprocess_resident_memory_bytes ");
    expect(text).toContain("\nnodejs_eventloop_lag_p99_seconds ");
  });
});

describe("records and probes", () => {
  const [one, two, three] = ["192.0.2.1", "2001:db8::2", "lb.example.net"];

  it("are shown as they are now", async () => {
    metrics.setRecords({
      "shop/api": record({ [one]: "Healthy", [two]: ["Unhealthy", 6], [three]: ["Pending", 1] }, [two, three]),
      "shop/new": record({ [one]: "Unknown" }, [], "Unknown"),
    });
    expect(await lines("vedette_probe_healthy")).toEqual([
      `vedette_probe_healthy{namespace="shop",record="api",address="${one}"} 1`,
      `vedette_probe_healthy{namespace="shop",record="api",address="${two}"} 0`,
    ]);
    expect(await lines("vedette_probe_consecutive_failures")).toEqual([
      `vedette_probe_consecutive_failures{namespace="shop",record="api",address="${one}"} 0`,
      `vedette_probe_consecutive_failures{namespace="shop",record="api",address="${two}"} 6`,
      `vedette_probe_consecutive_failures{namespace="shop",record="api",address="${three}"} 1`,
      `vedette_probe_consecutive_failures{namespace="shop",record="new",address="${one}"} 0`,
    ]);
    expect(await lines("vedette_record_endpoints")).toEqual([
      'vedette_record_endpoints{namespace="shop",record="api",state="published"} 1',
      'vedette_record_endpoints{namespace="shop",record="api",state="withheld"} 2',
      'vedette_record_endpoints{namespace="shop",record="new",state="published"} 1',
      'vedette_record_endpoints{namespace="shop",record="new",state="withheld"} 0',
    ]);
    expect(await lines("vedette_agent_records")).toEqual([
      'vedette_agent_records{condition="Accepted",status="True"} 1',
      'vedette_agent_records{condition="Accepted",status="Unknown"} 1',
    ]);
    expect(await lines("vedette_agent_probes")).toEqual([
      'vedette_agent_probes{verdict="healthy"} 1',
      'vedette_agent_probes{verdict="unhealthy"} 1',
      'vedette_agent_probes{verdict="pending"} 1',
      'vedette_agent_probes{verdict="unknown"} 1',
    ]);
  });

  const changes = async () => (await lines("vedette_probe_transitions_total")).filter((line) => !line.endsWith(" 0"));

  it.each<[string, Verdicts[], string[]]>([
    ["what stood at the start", [{ [one]: "Unhealthy", [two]: "Healthy" }], []],
    ["one that stays", [{ [one]: "Healthy" }, { [one]: ["Healthy", 3] }], []],
    ["the turn for the worse", [{ [one]: "Healthy" }, { [one]: "Unhealthy" }], ["unhealthy 1"]],
    [
      "both turns",
      [{ [one]: "Healthy" }, { [one]: "Unhealthy" }, { [one]: "Healthy" }, { [one]: "Unhealthy" }],
      ["healthy 1", "unhealthy 2"],
    ],
    ["a first verdict of one that came later", [{}, { [one]: "Unhealthy", [two]: "Pending" }], ["unhealthy 1"]],
    [
      "those of all addresses",
      [
        { [one]: "Healthy", [two]: "Healthy" },
        { [one]: "Unhealthy", [two]: "Unhealthy" },
      ],
      ["unhealthy 2"],
    ],
    ["a word that is not known yet as none", [{ [one]: "Healthy" }, { [one]: "Bewildered" }], ["unknown 1"]],
  ])("count of transitions %s", async (_name, shown, expected) => {
    for (const verdicts of shown) metrics.setRecords({ "shop/api": record(verdicts) });
    const wanted = expected.map((text) => {
      const [to, count] = text.split(" ");
      return `vedette_probe_transitions_total{namespace="shop",record="api",to="${to}"} ${count}`;
    });
    expect(await changes()).toEqual(wanted);
  });

  it("start their transitions at zero, so that the first one is an increase", async () => {
    metrics.setRecords({ "shop/api": record({ [one]: "Healthy" }) });
    expect(await lines("vedette_probe_transitions_total")).toEqual(
      ["healthy", "unhealthy", "pending", "unknown"].map(
        (to) => `vedette_probe_transitions_total{namespace="shop",record="api",to="${to}"} 0`,
      ),
    );
  });

  it("leave with what they tell of", async () => {
    metrics.setRecords({
      "shop/api": record({ [one]: "Healthy", [two]: "Healthy" }),
      "shop/www": record({ [three]: "Healthy" }),
    });
    metrics.setRecords({ "shop/api": record({ [one]: "Healthy" }) });
    const all = [...(await lines("vedette_probe")), ...(await lines("vedette_record"))].join("\n");
    expect(all).toContain(one);
    expect(all).not.toMatch(/2001:db8|www|lb\.example/);
  });

  it("leave a replica that leads no longer, and what it sees when it leads again is no transition", async () => {
    metrics.setLeader(true);
    metrics.setRecords({ "shop/api": record({ [one]: "Healthy" }) });
    metrics.setLeader(false);
    metrics.setRecords({ "shop/api": record({ [one]: "Healthy" }) });
    expect(await lines("vedette_agent_leader")).toEqual(["vedette_agent_leader 0"]);
    expect([...(await lines("vedette_probe")), ...(await lines("vedette_record"))]).toEqual([]);
    metrics.setLeader(true);
    metrics.setRecords({ "shop/api": record({ [one]: "Unhealthy" }) });
    expect(await lines("vedette_agent_leader")).toEqual(["vedette_agent_leader 1"]);
    expect(await changes()).toEqual([]);
  });

  it("stay within the bound: what is left out is counted, and is in the totals", async () => {
    const bounded = new AgentMetrics({ contact: () => undefined, maxSeries: 100 });
    const addresses = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`192.0.2.${n}`, "Healthy"]));
    const records: RecordSamples = Object.fromEntries(
      Array.from({ length: 10 }, (_, n) => [`shop/r${9 - n}`, record(addresses)]),
    );
    bounded.setRecords(records);
    const series = [...(await lines("vedette_probe", bounded)), ...(await lines("vedette_record", bounded))];
    expect(series.length).toBeLessThanOrEqual(100);
    expect(new Set(series.map((line) => /record="(\w+)"/.exec(line)?.[1]))).toEqual(new Set(["r0", "r1", "r2"]));
    expect(await lines("vedette_agent_series_left_out", bounded)).toEqual([
      'vedette_agent_series_left_out{kind="record"} 7',
      'vedette_agent_series_left_out{kind="probe"} 70',
    ]);
    expect(await lines('vedette_agent_probes{verdict="healthy"}', bounded)).toEqual([
      'vedette_agent_probes{verdict="healthy"} 100',
    ]);
  });
});
