import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { recordManifest } from "./manifest.ts";
import { recordKey, recordSpec } from "./record.ts";

const endpoints = [{ dnsName: "api.example.com", recordType: "A", targets: ["203.0.113.10"] }];
const spec = (more: object = {}) => ({ rootHost: "api.example.com", endpoints, ...more });

describe("a record", () => {
  it("is read with its defaults", () => {
    expect(recordSpec.parse(spec())).toEqual({
      rootHost: "api.example.com",
      endpoints: [{ ...endpoints[0], recordTTL: 60 }],
      minPublished: 1,
      whenSilent: "Publish",
    });
  });

  it("reads the manifest of the design page", () => {
    const manifest = recordManifest.parse(
      parse(`
apiVersion: vedette.dev/v1alpha1
kind: DNSRecord
metadata: { name: api, namespace: shop, labels: { team: shop } }
spec:
  rootHost: api.example.com
  endpoints:
    - { dnsName: api.example.com, recordType: A, recordTTL: 60, targets: [203.0.113.10, 198.51.100.20] }
  minPublished: 1
  whenSilent: Publish
  healthCheck:
    protocol: HTTP
    port: 80
    path: /healthz
    host: api.example.com
    interval: 30s
    timeout: 5s
    failureThreshold: 5
    successThreshold: 2
    expectedStatuses: ["200-299"]
    expectedBody: ok
    addressPolicy: Any
    regions: [weur, enam, apac]
    quorum: Majority
    staleAfter: 2m
`),
    );
    expect(manifest.metadata).toMatchObject({ name: "api", namespace: "shop" });
    expect(manifest.spec.healthCheck).toMatchObject({ intervalMs: 30_000, timeoutMs: 5_000, staleAfterMs: 120_000 });
  });

  it("canonises names and addresses, and keeps the order and repetitions of targets", () => {
    const read = recordSpec.parse({
      rootHost: "API.bücher.example.",
      endpoints: [
        { dnsName: "Api.Bücher.Example", recordType: "CNAME", targets: ["LB.API.xn--bcher-kva.example."] },
        {
          dnsName: "lb.api.bücher.example",
          recordType: "AAAA",
          targets: ["2001:DB8::0:1", "2001:db8::2", "2001:db8:0::1"],
        },
      ],
    });
    expect(read.rootHost).toBe("api.xn--bcher-kva.example");
    expect(read.endpoints.map(({ dnsName, targets }) => [dnsName, ...targets])).toEqual([
      ["api.xn--bcher-kva.example", "lb.api.xn--bcher-kva.example"],
      ["lb.api.xn--bcher-kva.example", "2001:db8::1", "2001:db8::2", "2001:db8::1"],
    ]);
  });

  it("a wildcard root has its own name, and names under it, with the apex beside it", () => {
    const at = (dnsName: string) =>
      recordSpec.safeParse({ rootHost: "*.x.test", endpoints: [{ ...endpoints[0], dnsName }] });
    expect(["*.x.test", "x.test", "a.x.test", "*.a.x.test"].filter((name) => !at(name).success)).toEqual([]);
    expect(["ax.test", "x.test.evil", "*.y.test"].filter((name) => at(name).success)).toEqual([]);
  });

  it.each([1, 7, "1%", "50%", "99%", "100%"])("minPublished %s is taken", (minPublished) => {
    expect(recordSpec.parse(spec({ minPublished })).minPublished).toBe(minPublished);
  });

  it("has a key by namespace and name, in that order", () => {
    expect(recordKey({ namespace: "shop", name: "api" })).toBe("shop/api");
  });
});

describe("a health check", () => {
  const check = (healthCheck: object) => recordSpec.parse(spec({ healthCheck })).healthCheck;

  it("is read with its defaults", () => {
    expect(check({})).toEqual({
      protocol: "HTTPS",
      port: 443,
      path: "/",
      expectedStatuses: [{ from: 200, to: 299 }],
      addressPolicy: "Any",
      allowHeadersInCleartext: false,
      allowInsecureCertificate: false,
      failureThreshold: 5,
      successThreshold: 2,
      quorum: "Majority",
      regions: ["apac", "enam", "weur"],
      intervalMs: 30_000,
      timeoutMs: 5_000,
      confirmIntervalMs: 3_000,
      staleAfterMs: 95_000,
    });
  });

  it.each([
    ["the timeout is at most the interval", { interval: "2s" }, { timeoutMs: 2_000 }],
    ["staleAfter is 3 × interval + timeout", { interval: "60s", timeout: "10s" }, { staleAfterMs: 190_000 }],
    ["and at least a minute", { interval: "1s" }, { staleAfterMs: 60_000 }],
    ["a shorter one may be asked for", { interval: "1s", timeout: "1s", staleAfter: "3s" }, { staleAfterMs: 3_000 }],
    ["zero failures are allowed", { failureThreshold: 0 }, { failureThreshold: 0 }],
    ["a quorum as a number", { quorum: 3 }, { quorum: 3 }],
    [
      "single statuses",
      { expectedStatuses: ["204", "301-302"] },
      {
        expectedStatuses: [
          { from: 204, to: 204 },
          { from: 301, to: 302 },
        ],
      },
    ],
  ])("%s", (_, more, read) => {
    expect(check({ protocol: "HTTP", ...more })).toMatchObject(read);
  });

  it("regions are a set: sorted, so that their order means nothing", () => {
    const one = check({ protocol: "HTTP", regions: ["weur", "enam"] });
    expect(check({ protocol: "HTTP", regions: ["enam", "weur"] })).toEqual(one);
  });

  it("HTTP is asked on port 80, and knows of no certificate", () => {
    expect(check({ protocol: "HTTP", allowInsecureCertificate: false })).toMatchObject({ protocol: "HTTP", port: 80 });
  });

  it("TCP needs a port and nothing of HTTP", () => {
    expect(check({ protocol: "TCP", port: 5432 })).toMatchObject({ protocol: "TCP", port: 5432 });
  });

  const secret = { additionalHeadersRef: { name: "probe-headers" } };

  it("secret headers go over HTTPS without an opt-in, to a server that is verified", () => {
    expect(check(secret)).toMatchObject({ ...secret, allowHeadersInCleartext: false });
  });

  it("and to one that is not with the same opt-in as over HTTP", () => {
    const check = { ...secret, allowInsecureCertificate: true };
    expect(recordSpec.safeParse(spec({ healthCheck: check })).success).toBe(false);
    const accepted = { ...check, allowHeadersInCleartext: true };
    expect(recordSpec.parse(spec({ healthCheck: accepted })).healthCheck).toMatchObject(accepted);
  });

  it("secret headers over HTTP need an opt-in", () => {
    const read = check({
      protocol: "HTTP",
      additionalHeadersRef: { name: "probe-headers" },
      allowHeadersInCleartext: true,
    });
    expect(read?.additionalHeadersRef).toEqual({ name: "probe-headers" });
  });
});
