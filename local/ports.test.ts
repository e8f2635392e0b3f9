import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { unusablePorts, wantedPorts } from "./ports.ts";

const at = (port: number, host = "127.0.0.1") =>
  ({ what: "agent", host, port, protocol: "TCP", option: "--agent-port" }) as const;

test("a port in use is named with what to do about it", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(await unusablePorts([at(port)], 0)).toEqual([
    `TCP port ${port} on 127.0.0.1 (agent) is in use: stop what uses it, or choose another with --agent-port <port>`,
  ]);
  server.close();
  await once(server, "close");
  expect(await unusablePorts([at(port)], 0)).toEqual([]);
});

test("a port that is let go of within a moment is waited for", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const found = unusablePorts([at(port)], 5_000);
  server.close();
  expect(await found).toEqual([]);
});

test("an address that this machine lacks is said so", async () => {
  const [line] = await unusablePorts([at(8080, "203.0.113.7")], 0);
  expect(line).toContain("this machine lacks the address");
});

test("DNS is tested on UDP and TCP, each gateway on its own address", () => {
  const wanted = wantedPorts({ edge: 1, agent: 2, dns: 3, control: 4, gateway: 5 }, ["127.0.0.11", "127.0.0.12"]);
  expect(wanted.map(({ host, port, protocol }) => `${protocol} ${host}:${port}`)).toEqual([
    "TCP 127.0.0.1:1",
    "TCP 127.0.0.1:2",
    "TCP 127.0.0.1:3",
    "UDP 127.0.0.1:3",
    "TCP 127.0.0.1:4",
    "TCP 127.0.0.11:5",
    "TCP 127.0.0.12:5",
  ]);
});
