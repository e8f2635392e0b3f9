import { z } from "zod";
import { hostName } from "./host.ts";
import { region } from "./region.ts";
import { socketAddress } from "./socket-address.ts";

/** What an edge can measure of the platform that it runs on, each in a call of its own. */
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

/** Public, and asked a few times at most. Which port is closed or filtered may change: a measurement says when it is not so. */
const targets = z.strictObject({
  open: socketAddress.prefault("9.9.9.9:443").describe("Something that accepts connections."),
  closedPort: socketAddress.prefault("45.33.32.156:1").describe("A port that refuses connections."),
  blackHole: socketAddress.prefault("8.8.8.8:81").describe("A port from which nothing ever comes back."),
  ipv6: socketAddress.prefault("[2620:fe::9]:443").describe("Something that accepts connections over IPv6."),
  tls: socketAddress.prefault("8.8.8.8:443").describe("A server that speaks HTTP/1.1 over TLS."),
  tlsHost: hostName.prefault("dns.google").describe("The name that its certificate has."),
});

type TargetName = Exclude<keyof z.output<typeof targets>, "tlsHost">;

/** What each measurement dials: the others are not looked at, and need not be allowed. */
export const TARGETS_OF: Partial<Record<Measurement, readonly TargetName[]>> = {
  "closed-port": ["closedPort"],
  "black-hole": ["blackHole"],
  "black-hole-held": ["blackHole"],
  "seventh-dial": ["open", "blackHole"],
  "loopback-slots": ["open", "blackHole"],
  "loopback-dials": ["open", "blackHole"],
  ipv6: ["ipv6"],
  tls: ["tls"],
  "output-gate": ["open"],
};

/** What `POST /v1/self-test` takes: one measurement, made by an object in one region. */
export const selfTestRequest = z.strictObject({
  measurement: z.enum(MEASUREMENTS),
  region: region.default("weur").describe("Where the object that measures is asked to be."),
  targets: targets.prefault({}),
  idleMs: z
    .int()
    .min(100)
    .max(30_000)
    .default(14_000)
    .describe("For `hibernation` and `waking-alarm`: how long nobody asks the object anything."),
});
export type SelfTestRequest = z.output<typeof selfTestRequest>;

const figures = z.record(z.string(), z.union([z.number(), z.string(), z.boolean()]));
/** What a measurement found, by name. Times are in milliseconds and end in `Ms`; what was not reached is absent. */
export type Figures = z.infer<typeof figures>;

export const selfTestAnswer = z.strictObject({ figures });
