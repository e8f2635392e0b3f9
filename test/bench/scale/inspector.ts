/** What can be asked of the isolate that all objects of the bench share, over the protocol of Chrome's developer tools. */
export interface Inspector {
  /** MB in use on V8's heap, garbage included; buffers outside it count too. */
  heapMb: () => Promise<number>;
  /** Samples what runs while the work is done: ms of each function's own, the most first. */
  profile: (work: () => Promise<void>) => Promise<{ name: string; ms: number }[]>;
  close: () => void;
}

type Heap = { usedSize: number; backingStorageSize?: number; embedderHeapUsedSize?: number };
type Node = { id: number; callFrame: { functionName: string; url: string; lineNumber: number } };
type Profile = { nodes: Node[]; samples: number[]; timeDeltas: number[] };

const BYTES_PER_MB = 1024 * 1024;
const SAMPLE_US = 500;

export async function inspect(port: number): Promise<Inspector> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? "");
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  const call = callerOver(socket);
  return {
    heapMb: async () => {
      const heap = await call<Heap>("Runtime.getHeapUsage");
      return (heap.usedSize + (heap.backingStorageSize ?? 0)) / BYTES_PER_MB;
    },
    profile: async (work) => {
      await call("Profiler.enable");
      await call("Profiler.setSamplingInterval", { interval: SAMPLE_US });
      await call("Profiler.start");
      await work();
      const { profile } = await call<{ profile: Profile }>("Profiler.stop");
      return ownTimes(profile);
    },
    close: () => socket.close(),
  };
}

function callerOver(socket: WebSocket) {
  let calls = 0;
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  return <Result>(method: string, params: object = {}): Promise<Result> => {
    calls += 1;
    const id = calls;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => waiting.set(id, (result) => resolve(result as Result)));
  };
}

function ownTimes({ nodes, samples, timeDeltas }: Profile): { name: string; ms: number }[] {
  const names = new Map(
    nodes.map(({ id, callFrame }) => [id, callFrame.functionName || `(line ${callFrame.lineNumber + 1})`]),
  );
  const times = new Map<string, number>();
  for (const [place, id] of samples.entries()) {
    const name = names.get(id) ?? "";
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[place] ?? 0) / 1_000);
  }
  return [...times].map(([name, ms]) => ({ name, ms })).sort((a, b) => b.ms - a.ms);
}
