import type { Protocol } from "../../../shared/model/protocol.ts";
import type { Ask } from "./ask.ts";
import { askHttp } from "./http.ts";
import { askHttps } from "./https.ts";
import { askTcp } from "./tcp.ts";

/** Every protocol that can be probed. */
export const PROTOCOLS: Record<Protocol, Ask> = { HTTPS: askHttps, HTTP: askHttp, TCP: askTcp };
