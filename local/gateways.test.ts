import { afterEach, expect, test } from "vitest";
import { type Breakage, type Gateway, startGateway } from "./gateways.ts";

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
  gateway = await startGateway(1, "127.0.0.61", 18_080);
  await gateway.change(breakage);
  expect([await ask("weur"), await ask("enam"), await ask("apac")]).toEqual(expected);
  await gateway.change(undefined);
  expect(await ask("weur")).toBe(200);
});
