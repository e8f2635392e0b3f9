import type { Protocol } from "../../../shared/model/protocol.ts";
import { askHttp } from "./http.ts";
import { askHttps } from "./https.ts";
import type { Ask } from "./protocol-probe.ts";
import { askTcp } from "./tcp.ts";

/** Every protocol that can be probed. */
export const PROTOCOLS: Record<Protocol, Ask> = { HTTPS: askHttps, HTTP: askHttp, TCP: askTcp };
