import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ask, askTcp, askUdp, decode, dig, framed, HAS_DIG, query } from "../../../test/support/agent/dns-client.ts";
import { type DnsServer, startDnsServer } from "./server.ts";
import { buildZones } from "./zone.ts";

const zones = (address: string) =>
  buildZones(
    [
      {
        rootHost: "api.example.com",
        endpoints: [
          { dnsName: "api.example.com", recordType: "A", recordTTL: 60, targets: [address] },
          { dnsName: "api.example.com", recordType: "AAAA", recordTTL: 60, targets: ["2001:db8::1"] },
          { dnsName: "www.api.example.com", recordType: "CNAME", recordTTL: 60, targets: ["api.example.com"] },
          {
            dnsName: "many.api.example.com",
            recordType: "A",
            recordTTL: 60,
            targets: Array.from({ length: 100 }, (_, index) => `192.0.2.${index}`),
          },
        ],
      },
    ],
    3,
    { nameServers: [], defaultAddress: "127.0.0.1", negativeTtlSeconds: 60 },
  );

const open: (DnsServer | Socket)[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) "serve" in one ? await one.close() : one.destroy();
});

async function start(more: { idleTimeoutMs?: number } = {}): Promise<DnsServer> {
  const server = await startDnsServer({ address: "127.0.0.1", port: 0, onError: () => {}, ...more });
  open.push(server);
  server.serve(zones("192.0.2.1"));
  return server;
}

describe("the DNS server", () => {
  it("answers over UDP and TCP, and from the new zones once they are switched", async () => {
    const server = await start();
    for (const tcp of [false, true]) {
      expect((await ask({ port: server.port, name: "api.example.com", tcp })).answers).toMatchObject([
        { data: "192.0.2.1" },
      ]);
    }
    server.serve(zones("192.0.2.2"));
    for (const tcp of [false, true]) {
      expect((await ask({ port: server.port, name: "api.example.com", tcp })).answers).toMatchObject([
        { data: "192.0.2.2" },
      ]);
    }
  });

  it("answers several queries of one TCP connection in their order, however they are torn apart", async () => {
    const { port } = await start();
    const names = ["api.example.com", "x.api.example.com", "www.api.example.com"];
    const stream = Buffer.concat(names.map((name, id) => framed(query(name, "A", { id }))));
    const bytes = [...stream].map((byte) => Buffer.of(byte));
    for (const chunks of [[stream], bytes]) {
      const replies = (await askTcp(port, chunks, 3)).map(decode);
      expect(replies.map(({ id, rcode, answers }) => [id, rcode, answers?.length])).toEqual([
        [0, "NOERROR", 1],
        [1, "NXDOMAIN", 0],
        [2, "NOERROR", 2],
      ]);
    }
  });

  it("goes on after garbage over UDP and TCP", async () => {
    const { port } = await start();
    const garbage = createSocket("udp4");
    for (let length = 0; length < 100; length += 1) garbage.send(Buffer.alloc(length, 0xff), port, "127.0.0.1");
    expect(decode(await askUdp(port, Buffer.from("000100000001000000000000ffff", "hex"))).rcode).toBe("FORMERR");
    expect(await askTcp(port, [framed(Buffer.alloc(40, 0xff))], 1)).toEqual([]);
    expect((await ask({ port, name: "api.example.com", tcp: true })).rcode).toBe("NOERROR");
    expect((await ask({ port, name: "api.example.com" })).rcode).toBe("NOERROR");
    garbage.close();
  });

  it("ends a TCP connection that sends no whole query", async () => {
    const { port } = await start({ idleTimeoutMs: 50 });
    const socket = connect(port, "127.0.0.1");
    open.push(socket);
    socket.resume();
    socket.write(Buffer.of(0, 200, 1));
    await once(socket, "close", { signal: AbortSignal.timeout(5_000) });
  });

  it("closes although connections are open", async () => {
    const { port } = await start();
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.resume();
    await Promise.all([once(socket, "close"), open.splice(0).map((one) => "close" in one && one.close())]);
  });

  it("says which port is in use, and lets go of the other half", async () => {
    const tcp = createServer().listen(0, "127.0.0.1");
    await once(tcp, "listening");
    const { port } = tcp.address() as { port: number };
    const options = { address: "127.0.0.1", port, onError: () => {} };
    await expect(startDnsServer(options)).rejects.toMatchObject({ code: "EADDRINUSE" });
    tcp.close();
    await once(tcp, "close");
    const udp = createSocket("udp4");
    udp.bind(port, "127.0.0.1");
    await once(udp, "listening");
    await expect(startDnsServer(options)).rejects.toMatchObject({ code: "EADDRINUSE" });
    udp.close();
    await once(udp, "close");
    open.push(await startDnsServer(options));
  });
});

describe.runIf(HAS_DIG)("dig", () => {
  it("understands every kind of answer, over UDP and after truncation over TCP", async () => {
    const { port } = await start();
    expect(await dig(port, "+short", "api.example.com", "A")).toEqual(["192.0.2.1"]);
    expect(await dig(port, "+short", "api.example.com", "AAAA")).toEqual(["2001:db8::1"]);
    expect(await dig(port, "+short", "www.api.example.com")).toEqual(["api.example.com.", "192.0.2.1"]);
    expect(await dig(port, "+short", "api.example.com", "NS")).toEqual(["ns.api.example.com."]);
    expect((await dig(port, "+short", "api.example.com", "SOA"))?.[0]).toMatch(
      /^ns\.api\.example\.com\. hostmaster\.api\.example\.com\. 3 /,
    );
    expect(await dig(port, "+short", "many.api.example.com")).toHaveLength(100);
    expect((await dig(port, "+ignore", "many.api.example.com"))?.join()).toContain("flags: qr aa tc rd");
    expect((await dig(port, "nothing.api.example.com"))?.join()).toMatch(/status: NXDOMAIN.*60\tIN\tSOA/);
    expect((await dig(port, "api.example.com", "TXT"))?.join()).toMatch(/status: NOERROR.*ANSWER: 0.*60\tIN\tSOA/);
    expect((await dig(port, "example.org"))?.join()).toContain("status: REFUSED");
    expect((await dig(port, "version.bind", "CH", "TXT"))?.join()).toContain("status: REFUSED");
    expect((await dig(port, "api.example.com", "AXFR"))?.join()).toContain("Transfer failed");
    expect((await dig(port, "+noedns", "api.example.com"))?.join()).not.toContain("OPT PSEUDOSECTION");
    expect((await dig(port, "+edns=1", "+noednsnegotiation", "api.example.com"))?.join()).toContain("status: BADVERS");
    expect((await dig(port, "+opcode=notify", "api.example.com"))?.join()).toContain("status: NOTIMP");
  });
});
