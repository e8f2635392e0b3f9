import { z } from "zod";

export const protocol = z.enum(["HTTPS", "HTTP", "TCP"]);
export type Protocol = z.infer<typeof protocol>;

/** Ports that a health check uses when it names none. TCP has no such port. */
export const DEFAULT_PORT: Partial<Record<Protocol, number>> = { HTTPS: 443, HTTP: 80 };
