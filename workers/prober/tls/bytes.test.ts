import { expect, test } from "vitest";
import { ByteQueue } from "./bytes.ts";

test("bytes come out as they went in, however they are cut", () => {
  const queue = new ByteQueue();
  let [pushed, taken] = [0, 0];
  for (let round = 1; round < 400; round++) {
    const more = (round * 7) % 90;
    queue.push(Uint8Array.from({ length: more }, () => pushed++ % 251));
    expect(queue.length).toBe(pushed - taken);
    const wanted = (round * 13) % 95;
    const peeked = [...queue.peek(wanted)];
    const got = [...queue.take(wanted)];
    expect(got).toEqual(peeked);
    expect(got).toEqual(Array.from({ length: Math.min(wanted, pushed - taken) }, () => taken++ % 251));
  }
});

test("what was taken stays as it is when more comes", () => {
  const queue = new ByteQueue();
  queue.push(Uint8Array.of(1, 2, 3));
  const taken = queue.take(2);
  queue.push(Uint8Array.of(4, 5, 6, 7, 8));
  expect([...taken]).toEqual([1, 2]);
  expect([...queue.take(9)]).toEqual([3, 4, 5, 6, 7, 8]);
});
