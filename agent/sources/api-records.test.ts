import { describe, expect, it } from "vitest";
import type { KubeObject } from "../kubernetes/object.ts";
import { type KubernetesInput, kubernetesRecords } from "./api-records.ts";

const CANARY = "S3CR3T-canary";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const endpoint = (...targets: string[]) => ({ dnsName: "api.test", recordType: "A", targets });
const withHeaders = {
  protocol: "HTTP",
  additionalHeadersRef: { name: "probe" },
  allowHeadersInCleartext: true,
};

function recordObject(change: Partial<KubeObject> & { name?: string; uid?: string } = {}): KubeObject {
  const { name = "api", uid = `uid-${name}`, ...rest } = change;
  return {
    apiVersion: "vedette.dev/v1alpha1",
    kind: "DNSRecord",
    metadata: { name, namespace: "shop", uid, generation: 3, creationTimestamp: "2026-11-30T12:00:00Z" },
    spec: { rootHost: "api.test", endpoints: [endpoint("192.0.2.1")] },
    ...rest,
  };
}

const secret = (data?: Record<string, string>): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "probe", namespace: "shop" },
  ...(data && { data }),
});

const read = (records: KubeObject[], more: Partial<KubernetesInput> = {}) =>
  kubernetesRecords({
    records,
    isMember: () => true,
    secretAt: () => undefined,
    secretError: () => undefined,
    before: [],
    ...more,
  });
const targetsOf = ({ records }: ReturnType<typeof read>) => records.map(({ spec }) => spec.endpoints[0]?.targets);

const wrong = { rootHost: "api.test", endpoints: [endpoint("192.0.2.9")], minPublished: 0 };

describe("records of the API", () => {
  it("are read with what makes them one, in the order of their keys", () => {
    const { records, problems, refused } = read([recordObject({ name: "b" }), recordObject({ name: "a" })]);
    expect(records.map(({ key }) => key)).toEqual(["shop/a", "shop/b"]);
    expect(records[0]).toMatchObject({ uid: "uid-a", generation: 3, createdAt: "2026-11-30T12:00:00Z" });
    expect([problems, refused]).toEqual([[], []]);
  });

  it("are the same where a list left out their kind and version", () => {
    const bare = { ...recordObject(), apiVersion: undefined, kind: undefined } as unknown as KubeObject;
    expect(read([bare])).toEqual(read([recordObject()]));
  });

  it("are those only that take part", () => {
    const isMember = ({ metadata }: KubeObject) => metadata.deletionTimestamp === undefined;
    const leaving = recordObject({ name: "b" });
    leaving.metadata.deletionTimestamp = "2026-11-30T12:00:00Z";
    expect(read([recordObject(), leaving], { isMember }).records.map(({ key }) => key)).toEqual(["shop/api"]);
  });
});

describe("a record that is wrong", () => {
  it("of which nothing was ever accepted is refused alone, by field and rule", () => {
    const { records, refused, problems } = read([recordObject({ name: "bad", spec: wrong }), recordObject()]);
    expect(records.map(({ key }) => key)).toEqual(["shop/api"]);
    expect(refused).toMatchObject([
      { object: { metadata: { name: "bad" } }, refusal: expect.stringMatching(/^spec\.minPublished: 0 must be/) },
    ]);
    expect(problems).toEqual([`DNSRecord shop/bad ${refused[0]?.refusal}`]);
  });

  it("stands with its last good form, and says why", () => {
    const before = read([recordObject()]).records;
    const state = read([recordObject({ spec: wrong })], { before });
    expect(targetsOf(state)).toEqual([["192.0.2.1"]]);
    expect(state.records[0]?.refusal).toMatch(/^spec\.minPublished: 0 must be/);
    expect(targetsOf(read([recordObject({ spec: wrong })], { before: state.records }))).toEqual([["192.0.2.1"]]);
    expect(read([recordObject()], { before: state.records }).records[0]).not.toHaveProperty("refusal");
  });

  it("stands with what its status remembers where no agent ran, but not with that of one deleted under its name", () => {
    const spec = { rootHost: "api.test", endpoints: [endpoint("192.0.2.2")] };
    const status = { lastAccepted: { spec } };
    expect(targetsOf(read([recordObject({ spec: wrong, status })]))).toEqual([["192.0.2.2"]]);
    const before = read([recordObject({ uid: "other" })]).records;
    expect(read([recordObject({ spec: wrong })], { before }).records).toEqual([]);
  });

  it("stands with what is in DNS where nobody remembers more", () => {
    const status = { published: [endpoint("192.0.2.3")], lastAccepted: { spec: "gone" } };
    expect(targetsOf(read([recordObject({ spec: wrong, status })]))).toEqual([["192.0.2.3"]]);
    const checked = { ...wrong, minPublished: 1, healthCheck: { interval: "0s" } };
    expect(targetsOf(read([recordObject({ spec: checked, status })]))).toEqual([["192.0.2.3"]]);
  });

  it.each([null, [], "text", { lastAccepted: 1, published: "x" }, { published: [] }, { published: [{}] }])(
    "is refused with the status %j, and nothing is thrown",
    (status) => {
      expect(read([recordObject({ spec: wrong, status })]).refused).toHaveLength(1);
    },
  );

  it.each([undefined, null, "text", [], {}, { rootHost: 1 }])("is refused with the spec %j", (spec) => {
    expect(read([recordObject({ spec })]).refused).toHaveLength(1);
  });

  it("names at most a few of its faults", () => {
    const endpoints = Array.from({ length: 20 }, () => ({ dnsName: "x".repeat(70), recordType: "A", targets: ["y"] }));
    const [one] = read([recordObject({ spec: { rootHost: "api.test", endpoints } })]).refused;
    expect(one?.refusal).toMatch(/; and \d+ more$/);
    expect(one?.refusal.length).toBeLessThan(1_024);
  });
});

describe("header secrets", () => {
  const record = recordObject({
    spec: { rootHost: "api.test", endpoints: [endpoint("192.0.2.1")], healthCheck: withHeaders },
  });
  const headersOf = (more: Partial<KubernetesInput>) => {
    const { records } = read([record], more);
    return { headers: records[0]?.headers, problem: records[0]?.headersProblem };
  };

  it("are joined, without the newline at the end of a file", () => {
    expect(headersOf({ secretAt: () => secret({ "X-Key": base64(`${CANARY}\n`) }) }).headers).toEqual({
      "X-Key": CANARY,
    });
  });

  it.each([
    ["are missing", {}, "The Secret shop/probe does not exist."],
    ["cannot be read", { secretError: () => "403 Forbidden" }, "The Secret shop/probe cannot be read: 403 Forbidden"],
    [
      "hold what no header may",
      { secretAt: () => secret({ "X-Key": base64(`${CANARY}\r\nHost: evil`) }) },
      'The Secret shop/probe is wrong: headers["X-Key"]: must hold visible ASCII characters, spaces and tabs only',
    ],
    [
      "hold what is no text",
      { secretAt: () => secret({ "X-Key": Buffer.from([0xff, 0xfe]).toString("base64") }) },
      'The Secret shop/probe is wrong: headers["X-Key"]: must hold visible ASCII characters, spaces and tabs only',
    ],
    [
      "are no Secret",
      { secretAt: () => ({ ...secret(), data: { "X-Key": `${CANARY}!` } }) },
      expect.stringMatching(/^The Secret shop\/probe is wrong: data\.X-Key: /),
    ],
  ])("that %s are a problem of the record, whose form stays", (_, more, problem) => {
    const found = headersOf(more);
    expect(found).toEqual({ headers: undefined, problem });
    expect(JSON.stringify(found)).not.toContain(CANARY);
    expect(read([record], more).records).toHaveLength(1);
  });

  it("that could be read once stay good while the reading has trouble", () => {
    const trouble = { secretAt: () => secret({ "X-Key": base64("v") }), secretError: () => "503" };
    expect(headersOf(trouble).headers).toEqual({ "X-Key": "v" });
  });
});
