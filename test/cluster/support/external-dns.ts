import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../support/free-port.ts";
import { externalDnsBinary } from "./binaries.ts";
import type { Bind } from "./bind.ts";
import { Daemon } from "./daemon.ts";
import { guard } from "./guard.ts";

/** What external-dns reads and writes, and as whom. */
export interface ExternalDnsOptions {
  /** Path: whose DNSEndpoints it reads, and as whom. */
  kubeconfig: string;
  bind: Bind;
  /** What its registry TXT records name as the owner. */
  ownerId: string;
  /** Only this namespace's DNSEndpoints, where given. */
  namespace?: string;
  /** Further flags. */
  args?: readonly string[];
}

/** A running external-dns. Its `daemon.log` says what it did. */
export interface ExternalDns {
  daemon: Daemon;
  stop(): Promise<void>;
}

/** Starts external-dns itself, which writes the DNSEndpoints of a cluster to a BIND: at once when they change, and every second. */
export async function startExternalDns(options: ExternalDnsOptions): Promise<ExternalDns> {
  const binary = await externalDnsBinary();
  const folder = mkdtempSync(join(tmpdir(), "vedette-external-dns-"));
  const release = guard({ folder });
  const metrics = `127.0.0.1:${await freePort()}`;
  const isReady = async () => (await fetch(`http://${metrics}/healthz`)).ok;
  const args = argsOf(options, metrics);
  const daemon = new Daemon({ name: "external-dns", binary, args, folder, isReady });
  const stop = async () => {
    await daemon.stop("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
    release();
  };
  try {
    await daemon.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { daemon, stop };
}

function argsOf({ kubeconfig, bind, ownerId, namespace, args = [] }: ExternalDnsOptions, metrics: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    "--source=crd",
    ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
    "--managed-record-types=A",
    "--managed-record-types=AAAA",
    "--managed-record-types=CNAME",
    "--policy=sync",
    "--registry=txt",
    `--txt-owner-id=${ownerId}`,
    "--events",
    "--min-event-sync-interval=100ms",
    "--interval=1s",
    `--domain-filter=${bind.zone}`,
    "--provider=rfc2136",
    `--rfc2136-host=${bind.host}`,
    `--rfc2136-port=${bind.port}`,
    `--rfc2136-zone=${bind.zone}`,
    `--rfc2136-tsig-keyname=${bind.key.name}`,
    `--rfc2136-tsig-secret=${bind.key.secret}`,
    `--rfc2136-tsig-secret-alg=${bind.key.algorithm}`,
    "--rfc2136-axfr",
    `--metrics-address=${metrics}`,
    ...args,
  ];
}
