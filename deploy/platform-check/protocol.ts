import { z } from "zod";
import { hostName } from "../../shared/model/host.ts";
import { region } from "../../shared/model/region.ts";
import { socketAddress } from "../../shared/model/socket-address.ts";

/** Everything that the platform check measures, each in its own request. */
export const MEASUREMENTS = [
  "placement",
  "closed-port",
  "cloudflare-address",
  "black-hole",
  "black-hole-held",
  "seventh-dial",
  "loopback-slots",
  "loopback-dials",
  "loopbacks",
  "ipv6",
  "tls",
  "key-exchange",
  "cpu",
  "alarms",
  "waking-alarm",
  "output-gate",
  "rows",
  "hibernation",
] as const;
export type Measurement = (typeof MEASUREMENTS)[number];

/** Public servers, dialled a few times. A closed or filtered port may change: the measurement then says so. */
const targets = z.strictObject({
  /** Accepts connections. */
  open: socketAddress.prefault("9.9.9.9:443"),
  /** Refuses connections. */
  closedPort: socketAddress.prefault("45.33.32.156:1"),
  /** Never answers. */
  blackHole: socketAddress.prefault("8.8.8.8:81"),
  /** Accepts connections over IPv6. */
  ipv6: socketAddress.prefault("[2620:fe::9]:443"),
  /** Speaks HTTP/1.1 over TLS. */
  tls: socketAddress.prefault("8.8.8.8:443"),
  /** The name in the certificate of `tls`. */
  tlsHost: hostName.prefault("dns.google"),
});

/** One measurement, made by an object in one region. */
export const checkRequest = z.strictObject({
  measurement: z.enum(MEASUREMENTS),
  /** Where the object is asked to run. */
  region: region.default("weur"),
  targets: targets.prefault({}),
  /** For `hibernation` and `waking-alarm`: how long the object gets no request. */
  idleMs: z.int().min(100).max(30_000).default(14_000),
});
export type CheckRequest = z.output<typeof checkRequest>;

const figures = z.record(z.string(), z.union([z.number(), z.string(), z.boolean()]));
/** The results of a measurement, by name. Times are in milliseconds and end in `Ms`. A figure that was not reached is absent. */
export type Figures = z.infer<typeof figures>;

export const checkAnswer = z.strictObject({ figures });
