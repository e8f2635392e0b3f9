import type { DnsChange } from "./dns-watch.ts";
import type { Options } from "./options.ts";
import type { Gateway } from "./sample-gateways.ts";

export const HOST = "127.0.0.1";

/** The configuration of a stack. Without `records` it is the demo with its sample gateways. */
export type StackPlan = Omit<Options, "extraRoots"> & {
  /** Authorities that HTTPS probes trust beside Mozilla's and that of the sample gateways, in PEM. */
  extraRoots?: string;
  /** Additional settings of the Worker. */
  edgeSettings?: Record<string, string>;
};

/** An event for the user. `expected` distinguishes a stop on request from a crash. */
export type StackEvent =
  | { kind: "Dns"; change: DnsChange }
  | { kind: "Gateway"; gateway: Gateway }
  | { kind: "Part"; name: "edge" | "agent"; running: boolean; expected: boolean }
  | { kind: "Warning"; message: string };

/** An error that the user can fix: shown as its message, without a stack trace. */
export class Refusal extends Error {}
