import { expect, test } from "vitest";
import { type Child, makePart } from "./child-process.ts";

/** Children that end on a signal, or by themselves when the test says so. */
function fakeChildren() {
  const made: { end: () => void }[] = [];
  const launch = async (): Promise<Child> => {
    const ended = Promise.withResolvers<void>();
    const end = async () => ended.resolve();
    made.push({ end: ended.resolve });
    return { pid: made.length, ended: ended.promise, stop: end, crash: end };
  };
  return { made, launch };
}

test("a part that is started twice in the same moment runs once", async () => {
  const { made, launch } = fakeChildren();
  const part = makePart(launch, () => undefined);
  await Promise.all([part.start(), part.start()]);
  expect(made).toHaveLength(1);
  expect(part.running).toBe(true);
});

test("a stop during the start comes after it, and nothing runs then", async () => {
  const { made, launch } = fakeChildren();
  const part = makePart(launch, () => undefined);
  await Promise.all([part.start(), part.stop()]);
  expect(made).toHaveLength(1);
  expect(part.running).toBe(false);
});

test("only an end that nobody asked for is told", async () => {
  let told = 0;
  const { made, launch } = fakeChildren();
  const part = makePart(launch, () => {
    told += 1;
  });
  await part.start();
  await part.stop();
  await part.start();
  await part.crash();
  expect(told).toBe(0);
  await part.start();
  made.at(-1)?.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect([told, part.running]).toEqual([1, false]);
});

test("a start that failed can be tried again", async () => {
  const { launch } = fakeChildren();
  let tries = 0;
  const part = makePart(
    async () => {
      tries += 1;
      if (tries === 1) throw new Error("the port is in use");
      return await launch();
    },
    () => undefined,
  );
  await expect(part.start()).rejects.toThrow("the port is in use");
  await part.start();
  expect(part.running).toBe(true);
});
