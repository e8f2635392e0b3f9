import type { DnsChange } from "./dns-watch.ts";
import type { Gateway } from "./gateways.ts";
import type { Ports } from "./options.ts";

export const HOST = "127.0.0.1";

/** What a stack is to be made of. */
export type StackPlan = {
  /** File or folder of records; absent for the demo's. */
  records?: string;
  /** Addresses of sample gateways to start. */
  gatewayAddresses: readonly string[];
  /** Authorities that HTTPS probes trust beside Mozilla's and that of the sample gateways, in PEM. */
  extraRoots?: string;
  state: string;
  fresh: boolean;
  edgeStaleAfterMs: number;
  ports: Ports;
  /** Settings of the Worker besides those that a local stack always has. */
  edgeSettings?: Record<string, string>;
};

/** Something that a person at the stack wants to know. `asked` tells an order from a mishap. */
export type StackEvent =
  | { kind: "Dns"; change: DnsChange }
  | { kind: "Gateway"; gateway: Gateway }
  | { kind: "Part"; name: "edge" | "agent"; running: boolean; asked: boolean }
  | { kind: "Trouble"; message: string };

/** Something that the user can mend: told in its own words, without a stack trace. */
export class Refusal extends Error {}
