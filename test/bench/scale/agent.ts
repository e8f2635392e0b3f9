import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Delivered } from "./agent-thread.ts";

export interface Agent {
  url: string;
  deliveries: Delivered[];
  stop: () => Promise<unknown>;
}

/** One server that takes the deliveries of all clusters, and acknowledges each. */
export async function startAgent(): Promise<Agent> {
  const thread = new Worker(join(import.meta.dirname, "agent-thread.ts"));
  const deliveries: Delivered[] = [];
  const port = await new Promise<number>((resolve) => {
    thread.on("message", (message: { port?: number; delivered?: Delivered }) => {
      if (message.port !== undefined) resolve(message.port);
      if (message.delivered !== undefined) deliveries.push(message.delivered);
    });
  });
  return { url: `http://127.0.0.1:${port}`, deliveries, stop: () => thread.terminate() };
}
