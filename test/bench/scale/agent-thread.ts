import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";
import type { MessageNumber } from "../../../shared/model/number.ts";
import type { RecordStatus } from "../../../shared/model/status.ts";
import { isNewer, NO_NUMBER } from "../../../shared/number.ts";

/** The report on a delivery to the driver: the leaves that it removes from DNS, and when it had been read, Unix ms. */
export interface Delivered {
  cluster: string;
  at: number;
  bytes: number;
  /** Records that it has. */
  records: number;
  withheld: string[];
}

type Message = { cluster: string; number: MessageNumber } & (
  | { kind: "Full"; records: RecordStatus[] }
  | { kind: "Changes"; since: MessageNumber; records: RecordStatus[]; removed: string[] }
  | { kind: "Contact" }
);

/** What one cluster's agent holds: of each record the leaves that are withheld. */
interface Held {
  number: MessageNumber;
  withheld: Map<string, string[]>;
}

const clusters = new Map<string, Held>();

/** Takes deliveries on a thread of its own: to read ten megabytes would hold up the reports that are due. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const at = Date.now();
    const body = Buffer.concat(chunks);
    const message: Message = JSON.parse(body.toString());
    const held = clusters.get(message.cluster) ?? { number: NO_NUMBER, withheld: new Map() };
    clusters.set(message.cluster, held);
    const isTaken = take(held, message);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ version: 1, acknowledged: held.number, takes: ["Changes"] }));
    if (!isTaken || message.kind === "Contact") return;
    const withheld = [...held.withheld.values()].flat();
    const { cluster, records } = message;
    const told: Delivered = { cluster, at, bytes: body.length, records: records.length, withheld };
    parentPort?.postMessage({ delivered: told });
  });
});

/** Whether the message could be applied: it must not be older than the current state, and changes need their base. */
function take(held: Held, message: Message): boolean {
  if (message.kind === "Contact") return true;
  if (isNewer(held.number, message.number)) return false;
  if (message.kind === "Changes" && isNewer(message.since, held.number)) return false;
  if (message.kind === "Full") held.withheld.clear();
  else for (const rootHost of message.removed) held.withheld.delete(rootHost);
  for (const { rootHost, leaves } of message.records) {
    held.withheld.set(
      rootHost,
      leaves.flatMap(({ leaf, published }) => (published ? [] : [leaf])),
    );
  }
  held.number = message.number;
  return true;
}

server.listen(0, "127.0.0.1", () => parentPort?.postMessage({ port: (server.address() as AddressInfo).port }));
