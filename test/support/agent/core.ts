import { Controller } from "../../../agent/controller.ts";
import { Contact } from "../../../agent/edge/contact.ts";
import { lookup } from "../../../agent/publish/dns-server/lookup.ts";
import { DnsServerPublisher } from "../../../agent/publish/dns-server/publisher.ts";
import type { Zones } from "../../../agent/publish/dns-server/respond.ts";
import { StatePublisher } from "../../../agent/publish/state-publisher.ts";
import type { SourceState } from "../../../agent/sources/file-source.ts";
import { mergeFiles, parseManifests } from "../../../agent/sources/manifest-file.ts";
import type { State } from "../../../agent/status/state.ts";
import { NO_NUMBER } from "../../../shared/number.ts";

export const LEAVES = ["192.0.2.1", "192.0.2.2", "192.0.2.3"] as const;
export const CANARY = "S3CR3T-canary";

interface Given {
  name: string;
  host?: string;
  targets?: readonly string[];
  spec?: string;
}

/** The source as it is after reading these records from a file. */
export function source(...records: Given[]): SourceState {
  const texts = records.map(
    ({ name, host = `${name}.test`, targets = LEAVES, spec = "" }) => `apiVersion: vedette.dev/v1alpha1
kind: DNSRecord
metadata: { name: ${name}, namespace: shop }
spec:
  rootHost: ${host}
  endpoints: [{ dnsName: ${host}, recordType: A, targets: [${targets.join(", ")}] }]
  healthCheck: { protocol: HTTP, additionalHeadersRef: { name: probe }, allowHeadersInCleartext: true }
${spec}`,
  );
  const secret = `apiVersion: v1\nkind: Secret\nmetadata: { name: probe, namespace: shop }\nstringData: { X-Key: ${CANARY} }\n`;
  const content = parseManifests([secret, ...texts].join("---\n"), "api.yaml");
  const { problems } = content;
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return { complete: true, records: mergeFiles(new Map([["api.yaml", content]])).records, problems: [] };
}

export const EMPTY_STATE: State = {
  clusterUid: "uid",
  version: 1,
  edge: { url: "https://edge.test", cluster: "here" },
  number: NO_NUMBER,
  sentAt: 0,
  silent: false,
  serial: 1,
  records: {},
  hosts: {},
  problems: [],
};

/** A core whose clock and disk the test holds. */
export function startController(state: State = EMPTY_STATE) {
  const world = {
    elapsedMs: 0,
    diskFull: false,
    stored: state,
    zones: new Map() as Zones,
    log: [] as string[],
    snapshots: 0,
  };
  const core = new Controller(
    {
      cluster: "here",
      edgeStaleAfterMs: 300_000,
      contact: new Contact(300_000, state.silent, () => world.elapsedMs),
      output: new StatePublisher({
        publishers: [
          new DnsServerPublisher((zones) => (world.zones = zones), { nameServers: [], negativeTtlSeconds: 60 }),
        ],
        save: async (next) => {
          if (world.diskFull) throw new Error("ENOSPC");
          world.stored = structuredClone(next);
        },
        log: (_, message) => world.log.push(message),
      }),
      onSnapshotChanged: () => {
        world.snapshots += 1;
      },
      onPublished: () => {},
      log: (_, message) => world.log.push(message),
      now: () => 1_000_000 + world.elapsedMs,
    },
    state,
  );
  const dns = (host = "x.test") => {
    const zone = world.zones.get(host);
    if (zone === undefined) return "Refused";
    const { found, end } = lookup(zone, host, "A", () => 0);
    return end === "Answer" ? found.map(({ data }) => data) : end;
  };
  return { core, world, dns };
}
