import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { encodeSnapshot } from "../../shared/snapshot.ts";
import { FakeEdge, SECRET } from "../../test/support/agent/fake-edge.ts";
import { EdgeClient } from "./client.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const client = (edgeUrl: string, deadlineMs = 5_000) =>
  new EdgeClient({ edgeUrl, cluster: "here", secrets: [SECRET], now: Date.now, deadlineMs });
const snapshot = encodeSnapshot({ clusterUid: "uid", instance: "i" }, []);

describe("the client of the edge", () => {
  it("signs what it sends, and reads the answer", async () => {
    const edge = await FakeEdge.start();
    edge.behaviour.delivery = { any: "thing" };
    expect(await client(edge.url).push(snapshot, undefined)).toMatchObject({
      kind: "Taken",
      etag: '"1"',
      receipt: { delivery: { any: "thing" } },
    });
    expect(await client(`${edge.url}/`).pull({ epoch: 1, n: 2 })).toEqual({
      kind: "Delivery",
      delivery: { any: "thing" },
    });
    expect(await client(edge.url).readRecords()).toEqual({ kind: "View", view: { any: "thing" } });
    expect(edge.requests).toEqual([
      "PUT /v1/clusters/here/snapshot 200",
      "GET /v1/clusters/here/delivery?after=1.2 200",
      "GET /v1/clusters/here/records 200",
    ]);
    await edge.close();
  });

  it("keeps the id of a message over its repetitions, and signs each anew", async () => {
    const ids: unknown[] = [];
    const url = await serve((request, response) => {
      ids.push(request.headers["webhook-id"]);
      response.writeHead(500).end();
    });
    const one = client(url);
    await one.push(snapshot, undefined);
    await one.push(snapshot, '"1"');
    await one.push(`${snapshot}\n`, undefined);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it("says what a problem document says, field by field", async () => {
    const problem = {
      type: "x",
      title: "Refused",
      status: 422,
      detail: "No.",
      errors: [{ field: "a", value: "1", rule: "must be 2" }],
    };
    const url = await serve((_, response) => response.writeHead(422).end(JSON.stringify(problem)));
    expect(await client(url).push(snapshot, undefined)).toEqual({
      kind: "Failed",
      message: "422 Refused: No.: a: 1 must be 2",
    });
  });

  it.each([
    ["7", 7_000],
    ["86400", 60_000],
    ["Wed, 21 Oct 2026 07:28:00 GMT", undefined],
    ["-1", undefined],
  ])("says how long the edge wants to be left alone: %s", async (retryAfter, retryAfterMs) => {
    const url = await serve((_, response) => response.writeHead(429, { "retry-after": retryAfter }).end());
    const failed = { kind: "Failed", message: "the edge answered 429", ...(retryAfterMs && { retryAfterMs }) };
    expect(await client(url).push(snapshot, undefined)).toEqual(failed);
    expect(await client(url).pull({ epoch: 0, n: 0 })).toEqual(failed);
    expect(await client(url).readRecords()).toEqual(failed);
  });

  it.each([
    ["says nothing", (() => {}) as RequestListener],
    ["stops after the headers", ((_, response) => response.writeHead(200).flushHeaders()) as RequestListener],
    [
      "sends a byte now and then",
      ((_, response) => {
        const timer = setInterval(() => response.write(" "), 20);
        response.once("close", () => clearInterval(timer));
      }) as RequestListener,
    ],
  ])("gives up at its deadline on an edge that %s", async (_, listener) => {
    const url = await serve(listener);
    const startedAt = performance.now();
    const message = "the edge did not answer within 200 ms";
    expect(await client(url, 200).push(snapshot, undefined)).toEqual({ kind: "Failed", message });
    expect(await client(url, 200).pull({ epoch: 0, n: 0 })).toEqual({ kind: "Failed", message });
    expect(await client(url, 200).readRecords()).toEqual({ kind: "Failed", message });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it.each([
    ["redirects", 302, "", /redirect/],
    ["answers with a page", 200, "<html>", /JSON/],
    ["answers with another JSON", 200, "{}", /could not be read/],
    ["has trouble on its way", 530, "error code: 1016", /answered 530/],
  ])("does not take the word of an edge that %s", async (_, status, body, message) => {
    const url = await serve((__, response) =>
      response.writeHead(status, { location: "http://127.0.0.1:1/" }).end(body),
    );
    expect(await client(url).push(snapshot, undefined)).toEqual({
      kind: "Failed",
      message: expect.stringMatching(message),
    });
  });

  it("names the cause when there is no edge", async () => {
    const url = await serve(() => {});
    servers.pop()?.close();
    expect(await client(url).push(snapshot, undefined)).toEqual({
      kind: "Failed",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("cancels what is under way when it is closed", async () => {
    const one = client(await serve(() => {}));
    const pushed = one.push(snapshot, undefined);
    one.close();
    expect((await pushed).kind).toBe("Failed");
  });
});
