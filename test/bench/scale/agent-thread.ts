import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";
import type { delivery } from "../../../shared/model/messages/delivery.ts";

/** What the driver is told of a delivery: the leaves that are not in DNS by it, and when it had been read, Unix ms. */
export interface Delivered {
  cluster: string;
  at: number;
  bytes: number;
  withheld: string[];
}

/** Takes deliveries on a thread of its own: to read ten megabytes would hold up the reports that are due. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const at = Date.now();
    const body = Buffer.concat(chunks);
    const message = JSON.parse(body.toString()) as ReturnType<typeof delivery.parse>;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ version: 1, acknowledged: message.number }));
    if (message.kind !== "Full") return;
    const leaves = message.records.flatMap((record) => record.leaves);
    const withheld = leaves.flatMap(({ leaf, published }) => (published ? [] : [leaf]));
    const told: Delivered = { cluster: message.cluster, at, bytes: body.length, withheld };
    parentPort?.postMessage({ delivered: told });
  });
});
server.listen(0, "127.0.0.1", () => parentPort?.postMessage({ port: (server.address() as AddressInfo).port }));
