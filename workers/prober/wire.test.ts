import { connect } from "cloudflare:sockets";
import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, inject, it } from "vitest";
import { startOwnGateway, startRedirect } from "../../test/support/own-gateway.ts";
import { assign, assignmentOf, byId, freshProber, probeOf, standIn } from "../../test/support/prober.ts";
import { free, reach } from "../../test/support/reach.ts";
import type { Connect } from "./dial/connection.ts";
import { probeAddress } from "./dial/probe-address.ts";
import { writeRequest } from "./probe/http.ts";
import type { ProbeRequest } from "./probe/probe-request.ts";

const { named } = inject("gateways");

const question = (change: Partial<ProbeRequest>): ProbeRequest => ({
  protocol: "HTTP",
  address: "127.0.0.1",
  port: named.good,
  host: "shop.test",
  path: "/",
  expectation: { statuses: [{ from: 200, to: 299 }], body: undefined },
  headers: {},
  userAgent: "Vedette/test",
  timeoutMs: 5_000,
  ...change,
});

describe("the Host header", () => {
  it.each([
    ["HTTP", 80, "shop.test"],
    ["HTTP", 8443, "shop.test:8443"],
    ["HTTP", 443, "shop.test:443"],
    ["HTTPS", 443, "shop.test"],
    ["HTTPS", 8443, "shop.test:8443"],
    ["HTTPS", 80, "shop.test:80"],
  ] as const)("over %s with port %i is %s: the port stands there unless it is the default", (protocol, port, host) => {
    const text = new TextDecoder().decode(writeRequest(question({ protocol, port })));
    expect(text.split("\r\n")[1]).toBe(`Host: ${host}`);
    expect(text.match(/^host:/gim)).toHaveLength(1);
  });
});

describe("the timeout", () => {
  it("is the one that was given: an answer just before it is ok, one that would come after it is none", async () => {
    const late = { port: named.answersLate };
    expect(await probeAddress(reach, question({ ...late, timeoutMs: 10_000 }), free)).toMatchObject({ reason: "Ok" });
    const probeResult = await probeAddress(reach, question({ ...late, timeoutMs: 300 }), free);
    expect(probeResult.reason).toBe("ResponseTimeout");
    expect(probeResult.phases.totalMs).toBeGreaterThanOrEqual(295);
    expect(probeResult.phases.totalMs).toBeLessThan(5_000);
  });
});

describe("a redirect", () => {
  it("is an answer like others: nobody else is dialled, and no header goes anywhere else", async () => {
    const elsewhere = await startOwnGateway("good");
    const gateway = await startRedirect(elsewhere.port);
    const dialled: unknown[] = [];
    const counting: Connect = (address) => {
      dialled.push(address.port);
      return connect(address);
    };
    const headers = { Authorization: "Bearer S3CR3T", "X-Api-Key": "S3CR3T" };
    const ask = (statuses: { from: number; to: number }[]) =>
      probeAddress(
        { ...reach, connect: counting },
        question({ port: gateway.port, headers, expectation: { statuses, body: undefined } }),
        free,
      );
    expect(await ask([{ from: 200, to: 299 }])).toMatchObject({ reason: "UnexpectedStatus", httpStatus: 302 });
    expect(await ask([{ from: 302, to: 302 }])).toMatchObject({ reason: "Ok" });
    expect(dialled).toEqual([gateway.port, gateway.port]);
    expect((await gateway.seen()).lastRequest).toContain("S3CR3T");
    expect(await elsewhere.seen()).toMatchObject({ connections: 0 });
  });
});

describe("an answer that may be cached for an hour", () => {
  it("is not: each check is a connection and a request of its own", async () => {
    const stub = freshProber();
    const { port, seen } = await startOwnGateway("cacheable");
    await assign(stub, assignmentOf(1, [probeOf("a", port)]));
    const reports = await standIn(stub);
    for (let round = 0; round < 5; round += 1) await runDurableObjectAlarm(stub);
    expect(reports.map((report) => byId(report).a?.observation?.reason)).toEqual(["Ok", "Ok", "Ok", "Ok", "Ok"]);
    expect((await seen()).connections).toBe(5);
  });
});
