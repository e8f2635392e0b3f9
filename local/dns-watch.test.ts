import { expect, test } from "vitest";
import { recordSpec } from "../shared/model/record.ts";
import type { RecordStatus } from "../shared/model/status.ts";
import { askWatched, publishedFor } from "./dns-watch.ts";

const record = recordSpec.parse({
  rootHost: "www.example.test",
  endpoints: [
    weighted("e1", "e1.www.example.test"),
    weighted("e2", "lb.example.net"),
    { dnsName: "e1.www.example.test", recordType: "A", targets: ["127.0.0.22", "127.0.0.21"] },
    { dnsName: "e1.www.example.test", recordType: "AAAA", targets: ["::1"] },
  ],
});
const question = { name: "www.example.test", type: "A" as const, record };

function weighted(setIdentifier: string, target: string) {
  const providerSpecific = [{ name: "weight", value: "50" }];
  return { dnsName: "www.example.test", recordType: "CNAME", targets: [target], setIdentifier, providerSpecific };
}

test("all that a drawn name can be answered with, of its own family", () => {
  expect(publishedFor(question, record.endpoints)).toEqual(["127.0.0.21", "127.0.0.22", "lb.example.net"]);
});

test("a drawn name is not asked of DNS, and gives nothing while the edge is away", async () => {
  let status: RecordStatus | undefined;
  const server = { host: "127.0.0.1", port: 1 };
  expect(await askWatched(server, async () => status)(question)).toBeUndefined();
  status = { endpoints: record.endpoints } as unknown as RecordStatus;
  const ask = askWatched(server, async () => status);
  expect((await ask(question))?.targets).toHaveLength(3);
  expect(await ask(question)).toBeUndefined();
});
