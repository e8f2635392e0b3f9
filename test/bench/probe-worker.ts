import { connect } from "cloudflare:sockets";
import { probeAddress } from "../../workers/prober/dial/probe-address.ts";
import type { ProbeRequest } from "../../workers/prober/probe/probe-request.ts";
import { rootStore } from "../../workers/prober/tls/roots.ts";
import { makeVerifier, type Verify } from "../../workers/prober/tls/verify/verifier.ts";
import { HOST } from "../certificates/family.ts";
import { derOf } from "./der.ts";

let verify: Verify | undefined;

/** `GET /<protocol>/<port>/<times>` asks the server on that port so many times, one after the other. */
export default {
  async fetch(request: Request, env: { ROOTS: string }): Promise<Response> {
    const [protocol, port, times] = new URL(request.url).pathname.slice(1).split("/");
    verify ??= makeVerifier(rootStore(derOf(env.ROOTS)));
    for (let asked = 0; asked < Number(times); asked++) {
      const slot = { settled: () => undefined, closed: () => undefined };
      const finding = await probeAddress(
        { connect, verify },
        questionOf(protocol as ProbeRequest["protocol"], Number(port)),
        slot,
      );
      if (finding.reason !== "Ok") return Response.json(finding, { status: 500 });
    }
    return new Response();
  },
};

function questionOf(protocol: ProbeRequest["protocol"], port: number): ProbeRequest {
  return {
    protocol,
    address: "127.0.0.1",
    port,
    host: HOST,
    path: "/",
    expectation: { statuses: [{ from: 200, to: 299 }], body: undefined },
    headers: {},
    userAgent: "Vedette/bench",
    timeoutMs: 10_000,
  };
}
