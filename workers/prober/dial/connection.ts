/** The part of a socket from `cloudflare:sockets` that probes use. */
export interface Connection {
  readonly opened: Promise<unknown>;
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  close(): Promise<void>;
}

export type Connect = (address: { hostname: string; port: number }) => Connection;

/** Dials an address. The platform joins host and port as text, so an IPv6 address needs its brackets. */
export function dial(connect: Connect, address: string, port: number): Connection {
  return connect({ hostname: address.includes(":") ? `[${address}]` : address, port });
}
