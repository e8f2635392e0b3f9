import type { Protocol } from "../../../shared/model/health-check.ts";
import type { Ask } from "./ask.ts";
import { askHttp } from "./http.ts";
import { askTcp } from "./tcp.ts";

/** Every protocol that can be probed. */
export const PROTOCOLS: Record<Protocol, Ask> = { HTTP: askHttp, TCP: askTcp };
