import { z } from "zod";
import { canonicalAddress } from "./address.ts";

/** An address with a port as text, such as `9.9.9.9:443` or `[2620:fe::9]:443`; read as the canonical address and the port. */
export const socketAddress = z.string().transform((text, context) => {
  const parts = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text.trim());
  const address = canonicalAddress(parts?.[1] ?? "");
  const port = Number(parts?.[2]);
  if (address === undefined || port < 1 || port > 65_535) {
    context.addIssue({ code: "custom", message: 'must be an address with a port, such as "1.1.1.1:443"' });
    return z.NEVER;
  }
  return { address, port };
});
export type SocketAddress = z.output<typeof socketAddress>;
