import type { Settings } from "../runtime/settings-schema.ts";

/** Whether decisions get into DNS this way. */
export function publishes({ publisher = ["external-dns"] }: Settings, way: "embedded" | "external-dns"): boolean {
  return publisher.includes(way);
}
