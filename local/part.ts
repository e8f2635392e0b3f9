import type { Child } from "./child.ts";

/** A part of the stack that can be stopped and started again while the others go on. */
export type Part = {
  readonly running: boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Kills the process at once, as a crash would. */
  crash(): Promise<void>;
};

/** `onEnd` is told when the part has ended without having been asked to. Orders are carried out one after the other. */
export function makePart(launch: () => Promise<Child>, onEnd: () => void): Part {
  let child: Child | undefined;
  let last: Promise<void> = Promise.resolve();
  const inTurn = (order: () => Promise<void>): Promise<void> => {
    const turn = last.then(order);
    last = turn.catch(() => undefined);
    return turn;
  };
  const start = async () => {
    if (child !== undefined) return;
    const started = await launch();
    child = started;
    void started.ended.then(() => {
      if (child !== started) return;
      child = undefined;
      onEnd();
    });
  };
  const take = () => {
    const taken = child;
    child = undefined;
    return taken;
  };
  return {
    get running() {
      return child !== undefined;
    },
    start: () => inTurn(start),
    stop: () => inTurn(async () => take()?.stop()),
    crash: () => inTurn(async () => take()?.crash()),
  };
}
