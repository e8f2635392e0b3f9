import { describe, expect, inject, it, vi } from "vitest";
import type { ReceiverMode } from "../../test/receivers/receiver.ts";
import { post } from "./send.ts";

const BODY = JSON.stringify({ version: 1, kind: "Full", number: { epoch: 5, n: 3 } });
const LONG_MS = 5_000;

async function postTo(mode: ReceiverMode, deadlineMs: number) {
  const url = inject("receivers");
  await fetch(`${url}/control/send-${mode}`, { method: "PUT", body: JSON.stringify({ mode }) });
  return post(`${url}/hook/send-${mode}`, { "webhook-id": "x" }, BODY, deadlineMs);
}

describe("one call of a webhook", () => {
  it.each([
    ["ack", { acknowledged: { epoch: 5, n: 3 }, takes: [] }],
    ["error", { failure: "answered 500" }],
    ["no-ack", { failure: "answered 200 without an acknowledgement" }],
    ["endless", { failure: "answered 200 without an acknowledgement" }],
    ["redirect", { failure: "answered 307: redirects are not followed" }],
    ["platform", { failure: "trouble on the way (status 525)" }],
  ] as const)("that is answered by %s", async (mode, answer) => {
    expect(await postTo(mode, LONG_MS)).toEqual(answer);
  });

  it.each([
    [
      ["Changes", "Riddles"],
      ["Changes", "Riddles"],
    ],
    ["Changes", []],
    [[7], []],
  ])("that names as what is taken %j is good all the same", async (given, takes) => {
    const body = JSON.stringify({ version: 1, acknowledged: { epoch: 5, n: 3 }, takes: given });
    vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response(body));
    expect(await post("http://127.0.0.1:1/", {}, BODY, LONG_MS)).toEqual({ acknowledged: { epoch: 5, n: 3 }, takes });
  });

  it.each(["hang", "trickle"] as const)("ends at its deadline where the answer is a %s", async (mode) => {
    expect(await postTo(mode, 100)).toEqual({ failure: "no answer within 100ms" });
  });

  it("fails where nobody listens", async () => {
    expect(await post("http://127.0.0.1:1/", {}, BODY, LONG_MS)).toMatchObject({
      failure: expect.stringMatching(/^cannot be reached: /),
    });
  });
});
