import type { TestProject } from "vitest/node";
import { startReceivers } from "./receiver.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Origin of the webhook receivers. */
    receivers: string;
  }
}

/** Starts the webhook receivers in Node, where the tests of the Worker can reach them over HTTP. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const receivers = await startReceivers();
  project.provide("receivers", receivers.url);
  return receivers.stop;
}
