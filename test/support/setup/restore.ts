import { afterAll, vi } from "vitest";
import "./patient-waits.ts";

// Files share a process and its globals, so a file must not leave a stopped clock or a stub to the next one.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
