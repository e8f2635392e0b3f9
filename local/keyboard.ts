import { emitKeypressEvents } from "node:readline";

type Key = { name?: string; ctrl?: boolean; sequence?: string };

/**
 * Hands single key presses to `onKey` (`ctrl-c` for Ctrl-C, which raw mode keeps from being a signal). Does nothing
 * without a terminal. Gives the function that puts the terminal back.
 */
export function listenKeys(input: NodeJS.ReadStream, onKey: (key: string) => void): () => void {
  if (!input.isTTY) return () => undefined;
  const handle = (_: string | undefined, key: Key) => onKey(key.ctrl ? `ctrl-${key.name}` : (key.sequence ?? ""));
  emitKeypressEvents(input);
  input.setRawMode(true);
  input.on("keypress", handle);
  input.resume();
  return () => {
    input.off("keypress", handle);
    input.setRawMode(false);
    input.pause();
  };
}
