import type { Measurement } from "../../shared/model/self-test.ts";
import type { Measure } from "./bench.ts";
import {
  blackHole,
  blackHoleHeld,
  closedPort,
  cloudflareAddress,
  ipv6,
  loopbackSlots,
  outputGate,
  seventhDial,
  tls,
} from "./dials.ts";
import { alarms, cpu, keyExchange, loopbacks, placement, rows } from "./inside.ts";
import { loopbackDials } from "./loopback-dials.ts";

/** What an object can measure by itself; whether it sleeps only somebody outside can see. */
export const MEASURES: Record<Exclude<Measurement, "hibernation" | "waking-alarm">, Measure> = {
  placement,
  "closed-port": closedPort,
  "cloudflare-address": cloudflareAddress,
  "black-hole": blackHole,
  "black-hole-held": blackHoleHeld,
  "seventh-dial": seventhDial,
  "loopback-slots": loopbackSlots,
  "loopback-dials": loopbackDials,
  loopbacks,
  ipv6,
  tls,
  "key-exchange": keyExchange,
  cpu,
  alarms,
  "output-gate": outputGate,
  rows,
};
