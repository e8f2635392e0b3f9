import type { SocketAddress } from "../../shared/model/socket-address.ts";

/** In Cloudflare's own network, and in service: what the platform does with a dial to it is not the fault of the address. */
export const CLOUDFLARE_RESOLVER: SocketAddress = { address: "1.1.1.1", port: 443 };
