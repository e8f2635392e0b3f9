import { describe, expect, it } from "vitest";
import { policyManifest, policySpec } from "./dns-health-check-policy.ts";
import { fieldErrors, formatFieldError } from "./field-error.ts";

const targetRef = { name: "shop" };
const read = (healthCheck: object) => policySpec.parse({ targetRef, healthCheck }).healthCheck;
const told = (spec: object) => {
  const result = policySpec.safeParse(spec);
  return result.success ? [] : fieldErrors(result.error, spec).map(formatFieldError);
};

describe("a policy", () => {
  it("is read with its defaults", () => {
    expect(policySpec.parse({ targetRef })).toEqual({
      targetRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "shop" },
      recordTTL: 60,
      minPublished: 1,
      whenSilent: "Publish",
    });
  });

  it("is read from a manifest, whatever its status says", () => {
    const manifest = {
      apiVersion: "vedette.dev/v1alpha1",
      kind: "DNSHealthCheckPolicy",
      metadata: { name: "shop", namespace: "shop", labels: { team: "shop" } },
      spec: { targetRef },
      status: { ancestors: "none" },
    };
    expect(policyManifest.parse(manifest).metadata).toMatchObject({ name: "shop", namespace: "shop" });
  });

  it.each([
    [{ targetRef: { ...targetRef, kind: "Service" } }, 'targetRef.kind: "Service" must be Gateway'],
    [{ targetRef, weight: 256 }, "weight: 256 must be at most 255"],
    [{}, "targetRef: is required"],
    [{ targetRef, targetRefs: [] }, "targetRefs: is not a known field"],
  ])("%j is none", (spec, message) => {
    expect(told(spec)).toEqual([message]);
  });
});

describe("the health check of a policy", () => {
  it("stays as it is written, and has neither protocol nor port of its own", () => {
    expect(read({ interval: "1m0s", host: "API.example.com.", regions: ["weur", "enam"] })).toEqual({
      interval: "1m0s",
      host: "api.example.com",
      failureThreshold: 5,
      successThreshold: 2,
      addressPolicy: "Any",
      allowHeadersInCleartext: false,
      allowInsecureCertificate: false,
      regions: ["weur", "enam"],
      quorum: "Majority",
    });
  });

  it.each([
    ["TCP without a port, which may be the listener's", { protocol: "TCP" }],
    ["what one listener of several may mean", { path: "/", allowInsecureCertificate: true }],
    ["secret headers, as long as nothing says that they go in clear", { additionalHeadersRef: { name: "headers" } }],
  ])("may have %s", (_, check) => {
    expect(told({ targetRef, healthCheck: check })).toEqual([]);
  });

  it.each([
    [{ timeout: "20s", interval: "10s" }, 'timeout: "20s" must be at most the interval (10s)'],
    [{ quorum: 4 }, "quorum: 4 must be at most the number of regions (3)"],
    [{ protocol: "TCP", path: "/" }, 'path: "/" has no meaning with protocol TCP'],
    [
      { protocol: "HTTP", additionalHeadersRef: { name: "headers" } },
      'additionalHeadersRef: {"name":"headers"} would send secret headers in clear over HTTP: set allowHeadersInCleartext: true to accept that',
    ],
  ])("%j is refused as a record's is", (check, message) => {
    expect(told({ targetRef, healthCheck: check })).toEqual([`healthCheck.${message}`]);
  });
});
