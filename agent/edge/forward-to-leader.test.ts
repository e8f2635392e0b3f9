import { afterEach, expect, it } from "vitest";
import { signatureHeaders } from "../../shared/signature.ts";
import { listen, type RunningServer } from "../runtime/http-server.ts";
import { forwardToLeader } from "./forward-to-leader.ts";
import { FORWARDED_HEADER, makeWebhook } from "./webhook.ts";

const NOW = Date.UTC(2026, 10, 30, 12);
const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const body = '{"n":1}';
const signed = (by = secret) => signatureHeaders(by, "delivery_1", body, NOW);
const listening: RunningServer[] = [];
afterEach(() => Promise.all(listening.splice(0).map((one) => one.close())));

/** A replica that takes deliveries, or hands them on to the leader at this URL. */
async function replica(leaderUrl?: () => string | undefined) {
  const taken: unknown[] = [];
  const app = makeWebhook({
    secrets: [secret],
    isReady: () => true,
    apply: async (json) => {
      taken.push(json);
      return { kind: "Applied", number: { epoch: 3, n: 4 }, takesChanges: false };
    },
    ...(leaderUrl && { forward: (delivery) => forwardToLeader(delivery, leaderUrl(), new AbortController().signal) }),
    now: () => NOW,
  });
  const server = await listen(app, "127.0.0.1", 0);
  listening.push(server);
  const url = `http://127.0.0.1:${server.port}`;
  const post = (headers: Record<string, string> = signed()) =>
    fetch(`${url}/v1/delivery`, { method: "POST", headers, body });
  return { url, post, taken };
}

it("a delivery that reaches another replica is applied once, by the leader, whose answer is relayed", async () => {
  const leader = await replica();
  const other = await replica(() => leader.url);
  const answer = await other.post();
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ version: 1, acknowledged: { epoch: 3, n: 4 } });
  expect(leader.taken).toEqual([{ n: 1 }]);
  expect(other.taken).toEqual([]);
});

it("what is not signed by the edge is not handed on", async () => {
  const leader = await replica();
  const other = await replica(() => leader.url);
  const answer = await other.post(signed(`whsec_${Buffer.alloc(32, 9).toString("base64")}`));
  expect(answer.status).toBe(401);
  expect(leader.taken).toEqual([]);
});

it.each([
  ["nobody is known to lead", undefined, {}, "NoLeader"],
  ["what is said of the leader names a host", "http://elsewhere.test:8788", {}, "NoLeader"],
  ["it names another scheme", "https://127.0.0.1:8788", {}, "NoLeader"],
  ["it is no URL", "127.0.0.1:8788", {}, "NoLeader"],
  ["the leader does not answer", "http://127.0.0.1:1", {}, "LeaderUnreachable"],
  ["it was handed on already", "http://127.0.0.1:1", { [FORWARDED_HEADER]: "1" }, "NotLeader"],
])("the edge is asked to come again while %s", async (_, leader, headers, code) => {
  const other = await replica(() => leader);
  const answer = await other.post({ ...signed(), ...headers });
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("5");
  expect(await answer.json()).toMatchObject({ title: code });
});
