import { beforeEach, describe, expect, it } from "vitest";
import { dnsRecord } from "../../test/support/agent/kube-objects.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { HeaderSecrets } from "./header-secrets.ts";
import { KubernetesSource } from "./kubernetes-source.ts";

const spec = {
  healthCheck: { protocol: "HTTP", additionalHeadersRef: { name: "headers" }, allowHeadersInCleartext: true },
};
const withHeaders = dnsRecord({ name: "api", spec });

let world: {
  records: KubeObject[];
  isSynced: boolean;
  isUnknown: boolean;
  areSecretsSynced: boolean;
  wanted: string[];
  secret: KubeObject | undefined;
};
let source: KubernetesSource;

beforeEach(() => {
  world = {
    records: [withHeaders],
    isSynced: true,
    isUnknown: false,
    areSecretsSynced: true,
    wanted: [],
    secret: undefined,
  };
  const secrets: Pick<HeaderSecrets, "want" | "isSynced" | "secretAt" | "troubleOf"> = {
    want: (keys) => {
      world.wanted = [...keys];
    },
    get isSynced() {
      return world.areSecretsSynced;
    },
    secretAt: () => world.secret,
    troubleOf: () => undefined,
  };
  const caches = {
    records: {
      list: () => world.records,
      get isUnknown() {
        return world.isUnknown;
      },
    },
    get isSynced() {
      return world.isSynced;
    },
  } as unknown as ConstructorParameters<typeof KubernetesSource>[0]["caches"];
  const isMember = ({ metadata }: KubeObject) => metadata.deletionTimestamp === undefined;
  source = new KubernetesSource({ caches, secrets: secrets as HeaderSecrets, isMember });
});

describe("the records of a cluster", () => {
  it("are not known before every kind was listed, and no Secret is asked for before", () => {
    world.isSynced = false;
    expect(source.read()).toBeUndefined();
    expect(world.wanted).toEqual([]);
  });

  it("are not gone where the cluster does not know their kind any more", () => {
    world.isUnknown = true;
    world.records = [];
    expect(source.read()).toBeUndefined();
  });

  it("are not known before their Secrets are: a Secret that was not read yet is not one that is missing", () => {
    world.areSecretsSynced = false;
    expect(source.read()).toBeUndefined();
    expect(world.wanted).toEqual(["shop/headers"]);
  });

  it("name a Secret that is missing, and carry the headers of one that is there", () => {
    expect(source.read()?.records[0]).toMatchObject({ headersProblem: "The Secret shop/headers does not exist." });
    const metadata = { name: "headers", namespace: "shop" };
    world.secret = { apiVersion: "v1", kind: "Secret", metadata, data: { "X-Key": btoa("yes") } };
    expect(source.read()?.records[0]).toMatchObject({ headers: { "X-Key": "yes" } });
  });

  it("ask for no Secret of a record that is being deleted, nor of one without a health check", () => {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const leaving = { ...withHeaders, metadata: { ...withHeaders.metadata, deletionTimestamp } };
    world.records = [leaving, dnsRecord({ name: "plain" })];
    expect(source.read()?.records.map(({ key }) => key)).toEqual(["shop/plain"]);
    expect(world.wanted).toEqual([]);
  });

  it("ask for the Secret also where the rest of the spec is refused: it is wanted once that is mended", () => {
    world.records = [dnsRecord({ name: "api", spec: { ...spec, endpoints: "none" } })];
    expect(source.read()?.refused).toHaveLength(1);
    expect(world.wanted).toEqual(["shop/headers"]);
  });

  it("stand as they were read last where they are wrong now", () => {
    world.records = [dnsRecord({ name: "api" })];
    const before = source.read()?.records[0];
    world.records = [dnsRecord({ name: "api", generation: 2, spec: { endpoints: [] } })];
    const after = source.read()?.records[0];
    expect(after?.spec).toEqual(before?.spec);
    expect(after?.refusal).toContain("endpoints");
  });
});
