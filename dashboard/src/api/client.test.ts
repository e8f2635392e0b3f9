import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError, asApiError, getJson } from "./client.ts";

afterEach(() => vi.unstubAllGlobals());

function answer(body: BodyInit | null, init?: ResponseInit): void {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(body, init)));
}

async function faultOf(): Promise<ApiError> {
  const fault = await getJson("/v1/overview").catch((error: unknown) => error);
  if (fault instanceof ApiError) return fault;
  throw new Error(`It was taken: ${JSON.stringify(fault)}`);
}

const html = { headers: { "content-type": "text/html" } };

describe("what answers instead of the API", () => {
  it.each([
    ["a gate's login page", "<!doctype html>Sign in", html, 200, "What answers is not the edge"],
    ["nothing at all", "", {}, 200, "What answers is not the edge"],
    ["no document", "null", {}, 200, "What answers is not the edge"],
    ["a gate's error page", "<h1>Bad gateway</h1>", { ...html, status: 502 }, 502, "HTTP status 502"],
    [
      "a problem",
      '{"title":"It rests","detail":"Come back at noon."}',
      { status: 503, headers: { "content-type": "application/problem+json" } },
      503,
      "Come back at noon.",
    ],
  ])("is said in words: %s", async (_, body, init, status, words) => {
    answer(body, init);
    const fault = await faultOf();
    expect(fault.status).toBe(status);
    expect(fault.message).toContain(words);
  });

  it("or is of a form that the page does not know is said in words, and not in those of a program", () => {
    expect(asApiError(new TypeError("Cannot read properties of undefined")).message).toContain("reload it");
  });

  it("and one that ends before its end is none", async () => {
    const cut = new ReadableStream({ start: (controller) => controller.error(new TypeError("network error")) });
    answer(cut);
    expect(await faultOf()).toMatchObject({ status: 0, message: "The edge does not answer." });
  });
});
