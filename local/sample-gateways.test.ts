import { once } from "node:events";
import { connect } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { type Breakage, type Gateway, makeGatewayIdentities, startGateway } from "./sample-gateways.ts";

let gateway: Gateway;
afterEach(() => gateway.stop());

async function ask(region: string): Promise<number | string> {
  const headers = { "user-agent": `Vedette/0.1.0 (+https://vedette.dev; region=${region})` };
  const url = `http://${gateway.address}:${gateway.port}/healthz`;
  return await fetch(url, { headers, signal: AbortSignal.timeout(300) }).then(
    async (response) => {
      await response.text();
      return response.status;
    },
    (error: Error) => (error.name === "TimeoutError" ? "silence" : "refused"),
  );
}

test.each<[Breakage | undefined, (number | string)[]]>([
  [undefined, [200, 200, 200]],
  ["status", [500, 500, 500]],
  ["hang", ["silence", "silence", "silence"]],
  ["refuse", ["refused", "refused", "refused"]],
  ["region", [500, 200, 200]],
  ["regions", [500, 500, 200]],
])("broken as %s it answers weur, enam and apac with %j, and mended with 200", async (breakage, expected) => {
  gateway = await startGateway({ number: 1, address: "127.0.0.61", port: 18_080 });
  await gateway.change(breakage);
  expect([await ask("weur"), await ask("enam"), await ask("apac")]).toEqual(expected);
  await gateway.change(undefined);
  expect(await ask("weur")).toBe(200);
});

/** What a client says of the gateway that trusts the authority and asks for shop.test: `well`, or a code of OpenSSL. */
async function shake(ca: string): Promise<string> {
  const socket = connect({ host: gateway.address, port: gateway.port, servername: "shop.test", ca });
  try {
    await once(socket, "secureConnect");
    return "well";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "";
  } finally {
    socket.destroy();
  }
}

test("over HTTPS its certificate can be broken as well, and mended", async () => {
  const identities = await makeGatewayIdentities(["shop.test"], Date.now());
  gateway = await startGateway({ number: 1, address: "127.0.0.61", port: 18_080, identities });
  expect(await shake(identities.authority)).toBe("well");
  await gateway.change("expired");
  expect(await shake(identities.authority)).toBe("CERT_HAS_EXPIRED");
  await gateway.change("misnamed");
  expect(await shake(identities.authority)).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  await gateway.change("refuse");
  expect(await shake(identities.authority)).toBe("ECONNREFUSED");
  await gateway.change(undefined);
  expect(await shake(identities.authority)).toBe("well");
});

test("over HTTP there is no certificate to break", async () => {
  gateway = await startGateway({ number: 1, address: "127.0.0.61", port: 18_080 });
  await expect(gateway.change("expired")).rejects.toThrow("127.0.0.61 speaks no TLS");
});
