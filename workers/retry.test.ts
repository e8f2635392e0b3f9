import { describe, expect, it, vi } from "vitest";
import { callWithRetry, errorMessage } from "./retry.ts";

const reset = new Error("Durable Object reset because its code was updated.");

describe("callWithRetry", () => {
  it("goes on after a call that was cut off, with a stub made afresh", async () => {
    const call = vi.fn<() => Promise<string>>().mockRejectedValueOnce(reset).mockResolvedValueOnce("answer");
    expect(await callWithRetry(call)).toBe("answer");
    expect(call).toHaveBeenCalledTimes(2);
  });

  it("gives up after three tries, with the last error", async () => {
    const call = vi.fn<() => Promise<string>>().mockRejectedValue(reset);
    await expect(callWithRetry(call)).rejects.toBe(reset);
    expect(call).toHaveBeenCalledTimes(3);
  });

  it("leaves an object alone that says it is overloaded", async () => {
    const call = vi
      .fn<() => Promise<string>>()
      .mockRejectedValue(Object.assign(new Error("busy"), { overloaded: true }));
    await expect(callWithRetry(call)).rejects.toThrow("busy");
    expect(call).toHaveBeenCalledTimes(1);
  });

  it("does not wait for ever for a call that hangs", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const call = vi
        .fn<() => Promise<string>>()
        .mockReturnValueOnce(new Promise(() => {}))
        .mockResolvedValueOnce("answer");
      const answer = callWithRetry(call);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await answer).toBe("answer");
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("errorMessage", () => {
  it("gives one short line, and no stack", () => {
    expect(errorMessage(new Error("first\nsecond"))).toBe("first");
    expect(errorMessage("plain")).toBe("plain");
    expect(errorMessage(new Error("x".repeat(1_000)))).toHaveLength(300);
  });
});
