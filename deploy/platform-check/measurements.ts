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
} from "./measure-dials.ts";
import { loopbackDials } from "./measure-loopback-dials.ts";
import { alarms, cpu, keyExchange, loopbacks, placement, rows } from "./measure-runtime.ts";
import type { Measurement } from "./protocol.ts";

/** Measurements that an object makes by itself. Only a caller can see whether an object sleeps. */
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
