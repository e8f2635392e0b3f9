import type { DnsChange } from "./dns-watch.ts";
import type { Gateway } from "./sample-gateways.ts";

export const HOST = "127.0.0.1";

/** An event for the user. `expected` distinguishes a stop on request from a crash. */
export type StackEvent =
  | { kind: "Dns"; change: DnsChange }
  | { kind: "Gateway"; gateway: Gateway }
  | { kind: "Part"; name: "edge" | "agent"; running: boolean; expected: boolean }
  | { kind: "Warning"; message: string };

/** An error that the user can fix: shown as its message, without a stack trace. */
export class Refusal extends Error {}
