import type { Protocol } from "../../../shared/model/protocol.ts";
import { probeHttp } from "./http.ts";
import { probeHttps } from "./https.ts";
import type { ProtocolProbe } from "./probe-request.ts";
import { probeTcp } from "./tcp.ts";

/** Every protocol that can be probed. */
export const PROTOCOLS: Record<Protocol, ProtocolProbe> = { HTTPS: probeHttps, HTTP: probeHttp, TCP: probeTcp };
