import { afterEach, beforeEach, expect, test } from "vitest";
import { serveControl } from "./control.ts";
import type { Breakage, Gateway } from "./sample-gateways.ts";

const PORT = 18_789;
const URL = `http://127.0.0.1:${PORT}`;

let gateway: Gateway;
let edge: { running: boolean };
let stop: () => Promise<void>;

beforeEach(async () => {
  gateway = {
    number: 1,
    address: "127.0.0.11",
    port: 8443,
    scheme: "https",
    change: async () => undefined,
    stop: async () => undefined,
  };
  edge = { running: true };
  const stack = {
    gateways: [gateway],
    edge,
    agent: { running: true },
    answers: () => ({ "shop.example.test A": { code: "NOERROR", targets: ["127.0.0.11"] } }),
    async changeGateway(changed: Gateway, breakage: Breakage | undefined) {
      if (breakage === undefined) delete changed.broken;
      else changed.broken = breakage;
    },
    async stopEdge() {
      edge.running = false;
    },
    async startEdge() {
      edge.running = true;
    },
  };
  stop = await serveControl(stack, "127.0.0.1", PORT);
});
afterEach(() => stop());

const post = (path: string, headers: Record<string, string> = {}) => fetch(URL + path, { method: "POST", headers });

test("how it stands, as JSON", async () => {
  gateway.broken = "hang";
  expect(await (await fetch(URL)).json()).toEqual({
    edge: "running",
    agent: "running",
    gateways: [{ number: 1, address: "https://127.0.0.11:8443", state: "accepts and never answers" }],
    answers: { "shop.example.test A": { code: "NOERROR", targets: ["127.0.0.11"] } },
  });
});

test("a gateway is broken in the named way, by default with a status, and mended", async () => {
  await post("/gateways/1/break");
  expect(gateway.broken).toBe("status");
  await post("/gateways/1/break?how=regions");
  expect(gateway.broken).toBe("regions");
  await post("/gateways/1/mend");
  expect(gateway.broken).toBeUndefined();
});

test("the edge is stopped and started", async () => {
  await post("/edge/stop");
  expect(edge.running).toBe(false);
  expect(await (await post("/edge/start")).json()).toMatchObject({ edge: "running" });
});

test.each([
  ["/gateways/4/break", 404, 'There is no sample gateway "4".'],
  ["/gateways/1/paint", 404, "POST /gateways/<n>/mend"],
  ["/gateways/1/break?how=toString", 400, 'how: "toString" is no kind of breaking.'],
  ["/edge/paint", 404, "POST /edge/stop"],
  ["/nothing", 404, "GET  /"],
])("POST %s is refused with %i and help", async (path, status, text) => {
  const response = await post(path);
  expect(response.status).toBe(status);
  expect(await response.text()).toContain(text);
  expect([gateway.broken, edge.running]).toEqual([undefined, true]);
});

test("a page in a browser controls nothing", async () => {
  expect((await post("/edge/stop", { origin: "https://example.com" })).status).toBe(403);
  expect(edge.running).toBe(true);
});
