import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { dnsRecord } from "../../test/support/agent/kube-objects.ts";
import { apiError } from "../../test/support/fake-api.ts";
import { FakeWatch } from "../../test/support/fake-watch.ts";
import type { KubeClient } from "../kubernetes/client.ts";
import { DNS_ENDPOINT, DNS_RECORD, GATEWAY } from "../kubernetes/kinds.ts";
import { Informers } from "./informers.ts";

let api: FakeWatch;
let told: string[];
const opened: Informers[] = [];

beforeEach(() => {
  api = new FakeWatch();
  told = [];
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((caches) => caches.stop()));
});

function start(hasEndpoints = true): Informers {
  const caches = new Informers({
    onStateChange: () => {},
    client: api as unknown as KubeClient,
    resyncMs: 600_000,
    hasEndpoints,
    onChange: ({ kind }, before, after) => told.push(`${kind} ${before ? "was" : ""}→${after ? "is" : ""}`),
    log: () => {},
  });
  opened.push(caches);
  caches.start();
  return caches;
}

describe("what is watched of the cluster", () => {
  it("is read once every kind is, and not before", async () => {
    api.failure = (kind) => (kind === GATEWAY ? apiError(403, "Forbidden", "not allowed") : undefined);
    const caches = start();
    await vi.waitFor(() =>
      expect(caches.notReady()).toEqual([expect.stringMatching(/^gateways have not been listed: .*not allowed/)]),
    );
    expect([caches.records.isSynced, caches.isSynced]).toEqual([true, false]);
    api.failure = () => undefined;
    await vi.waitFor(() => expect(caches.isSynced).toBe(true), 10_000);
    expect(caches.notReady()).toEqual([]);
  });

  it("tells of each object with its kind", async () => {
    api.set(DNS_RECORD, dnsRecord({ name: "api" }));
    const caches = start();
    await vi.waitFor(() => expect(caches.isSynced).toBe(true));
    await vi.waitFor(() => expect(api.watches).toBe(5));
    api.set(DNS_RECORD, dnsRecord({ name: "api", generation: 2 }));
    api.remove(DNS_RECORD, "shop/api");
    await vi.waitFor(() => expect(told).toEqual(["DNSRecord →is", "DNSRecord was→is", "DNSRecord was→"]));
  });

  it("holds no DNSEndpoints where none are written: they may not be readable", async () => {
    const caches = start(false);
    await vi.waitFor(() => expect(caches.isSynced).toBe(true));
    expect(caches.of(DNS_ENDPOINT)).toBeUndefined();
    expect(api.lists).not.toContain("dnsendpoints");
  });

  it("counts a kind that the cluster does not know as read", async () => {
    api.failure = (kind) => (kind === GATEWAY ? apiError(404, "NotFound") : undefined);
    const caches = start();
    await vi.waitFor(() => expect(caches.isSynced).toBe(true));
    expect(caches.gateways.list()).toEqual([]);
  });
});
