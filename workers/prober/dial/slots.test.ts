import { describe, expect, it } from "vitest";
import { MAX_SUSPECTS } from "../../../shared/model/messages/assignment.ts";
import type { Slot } from "./slots.ts";
import { MAX_OPEN, MAX_PENDING, Slots } from "./slots.ts";

const open = new AbortController().signal;

/** Which of the slots asked for were given so far. */
async function given(asked: Promise<Slot | undefined>[]): Promise<boolean[]> {
  return Promise.all(asked.map((slot) => Promise.race([slot.then(() => true), tick().then(() => false)])));
}

/** Lets everything that is settled already run. */
async function tick(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

describe("slots", () => {
  it("let five dials be pending, and the next when one is answered", async () => {
    const slots = new Slots();
    const asked = Array.from({ length: MAX_PENDING + 2 }, () => slots.acquire("proven", open));
    expect((await given(asked)).filter((is) => is)).toHaveLength(MAX_PENDING);
    (await asked[0])?.settled();
    (await asked[0])?.settled();
    expect((await given(asked)).filter((is) => is)).toHaveLength(MAX_PENDING + 1);
  });

  it("let at most 24 connections be open, answered or not", async () => {
    const slots = new Slots();
    const asked = Array.from({ length: MAX_OPEN + 1 }, () =>
      slots.acquire("proven", open).then((slot) => {
        slot?.settled();
        return slot;
      }),
    );
    const last = asked.at(-1) as Promise<Slot | undefined>;
    await Promise.all(asked.slice(0, MAX_OPEN));
    expect(await given([last])).toEqual([false]);
    (await asked[3])?.closed();
    expect(await given([last])).toEqual([true]);
  });

  it("are at most three for suspects, who wait behind the proven", async () => {
    const slots = new Slots();
    const suspects = Array.from({ length: 4 }, () => slots.acquire("suspect", open));
    const proven = Array.from({ length: 2 }, () => slots.acquire("proven", open));
    const third = slots.acquire("proven", open);
    expect(await given(suspects)).toEqual([true, true, true, false]);
    expect(await given([...proven, third])).toEqual([true, true, false]);
    (await suspects[0])?.closed();
    expect(await given([...suspects, third])).toEqual([true, true, true, false, true]);
    expect(slots.pending).toBe(MAX_PENDING);
    (await suspects[1])?.closed();
    expect(await given([suspects[3] as Promise<Slot | undefined>])).toEqual([true]);
    expect(MAX_SUSPECTS).toBe(3);
  });

  it("are not given once nobody may start any more, and those who wait leave without one", async () => {
    const slots = new Slots();
    const closing = new AbortController();
    const holders = Array.from({ length: MAX_PENDING }, () => slots.acquire("proven", open));
    const waiting = slots.acquire("proven", closing.signal);
    closing.abort();
    expect(await waiting).toBeUndefined();
    expect(await slots.acquire("proven", closing.signal)).toBeUndefined();
    for (const holder of holders) (await holder)?.closed();
    expect(slots.pending).toBe(0);
    expect(await slots.acquire("proven", open)).toBeDefined();
  });
});
