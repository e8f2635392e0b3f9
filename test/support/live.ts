import { inject } from "vitest";
import { probeAddress } from "../../workers/prober/dial/probe-address.ts";
import type { ProbeRequest, ProbeResult } from "../../workers/prober/probe/probe-request.ts";
import { HOST, NEEDLE } from "../tls-servers/case.ts";
import { free, reach } from "./reach.ts";

/** Starts a TLS server as `LiveServers.control` says, in place of the one before; its port. */
export async function startLive(what: string | number): Promise<number> {
  const response = await fetch(`${inject("liveServers").control}/${what}`, { method: "POST" });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return Number(text);
}

/** The question for the page that all live servers have, changed as given. */
export function httpsQuestion(port: number, change: Partial<ProbeRequest> = {}): ProbeRequest {
  return {
    protocol: "HTTPS",
    address: "127.0.0.1",
    port,
    host: HOST,
    path: "/page.txt",
    expectation: { statuses: [{ from: 200, to: 299 }], body: NEEDLE },
    headers: {},
    userAgent: "Vedette/test",
    timeoutMs: 5_000,
    ...change,
  };
}

export function askHttps(port: number, change: Partial<ProbeRequest> = {}): Promise<ProbeResult> {
  return probeAddress(reach, httpsQuestion(port, change), free);
}
