import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LiveStream } from "./live.ts";

/** Stands in for the browser's: what the stream does with it is noted, and the test says what comes. */
class FakeSocket {
  static readonly OPEN = 1;
  static made: FakeSocket[] = [];
  readonly url: string;
  readonly sent: string[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;

  constructor(url: string) {
    this.url = url;
    FakeSocket.made.push(this);
  }

  open(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
  }

  say(data: string): void {
    this.onmessage?.({ data });
  }

  send(data: string): void {
    this.sent.push(data);
  }

  close(): void {
    this.readyState = 3;
  }
}

const newest = (): FakeSocket => {
  const socket = FakeSocket.made.at(-1);
  if (socket === undefined) throw new Error("No socket was made");
  return socket;
};

let log: string[];
let after: number | undefined;

function follow(): LiveStream {
  return new LiveStream(2, {
    opened: () => log.push("opened"),
    heard: () => log.push("heard"),
    told: ({ at }) => log.push(`told ${at}`),
    closed: () => log.push("closed"),
    after: () => after,
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("location", { href: "https://vedette.example.com/records/a?x=1" });
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  FakeSocket.made = [];
  log = [];
  after = undefined;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("asks for a word each four seconds and hands on what it is told", () => {
  follow();
  expect(newest().url).toBe("wss://vedette.example.com/v1/live?partition=2");
  newest().open();
  vi.advanceTimersByTime(4_000);
  expect(newest().sent).toEqual(["ping"]);
  newest().say("pong");
  newest().say('{"at":7}');
  expect(log).toEqual(["opened", "heard", "heard", "told 7"]);
  vi.advanceTimersByTime(3_999);
  expect(newest().sent).toEqual(["ping"]);
});

it("takes three seconds without an answer for a loss, and comes back where it was", () => {
  follow();
  newest().open();
  after = 41;
  vi.advanceTimersByTime(4_000 + 2_999);
  expect(log).toEqual(["opened"]);
  vi.advanceTimersByTime(1);
  expect(log).toEqual(["opened", "closed"]);
  expect(newest().readyState).toBe(3);
  vi.advanceTimersByTime(500);
  expect(FakeSocket.made).toHaveLength(2);
  expect(newest().url).toBe("wss://vedette.example.com/v1/live?partition=2&after=41");
});

it("comes back ever less often, up to a quarter of a minute, and soon again after a success", () => {
  follow();
  const waits = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000];
  for (const wait of waits) {
    const made = FakeSocket.made.length;
    newest().onclose?.();
    vi.advanceTimersByTime(wait - 1);
    expect(FakeSocket.made).toHaveLength(made);
    vi.advanceTimersByTime(1);
    expect(FakeSocket.made).toHaveLength(made + 1);
  }
  newest().open();
  newest().onclose?.();
  const made = FakeSocket.made.length;
  vi.advanceTimersByTime(500);
  expect(FakeSocket.made).toHaveLength(made + 1);
});

it("does not wait for a connection that never comes about", () => {
  follow();
  vi.advanceTimersByTime(7_000);
  expect(log).toEqual(["closed"]);
});

it("finds out at once how it stands when the viewer is back", () => {
  const stream = follow();
  newest().open();
  stream.hurry();
  expect(newest().sent).toEqual(["ping"]);
  vi.advanceTimersByTime(3_000);
  expect(log).toEqual(["opened", "closed"]);
  stream.hurry();
  expect(FakeSocket.made).toHaveLength(2);
});

it("is silent once it is stopped, whatever still comes", () => {
  const stream = follow();
  newest().open();
  const socket = newest();
  stream.stop();
  socket.say("pong");
  socket.onclose?.();
  vi.advanceTimersByTime(60_000);
  expect(log).toEqual(["opened"]);
  expect(FakeSocket.made).toHaveLength(1);
});
