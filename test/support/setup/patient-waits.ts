import { vi } from "vitest";

const PATIENCE_MS = 30_000;
const { waitFor } = vi;

// A second, which is what they wait for by themselves, is soon over on a busy machine.
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === "number" ? options : { timeout: PATIENCE_MS, ...options });
