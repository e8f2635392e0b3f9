import { expect, test } from "vitest";
import { decodeWatch } from "./decode.ts";
import type { KubeError } from "./errors.ts";

const CALL = { verb: "watch", what: "secrets" };
const event = (type: string, name: string, resourceVersion: string) =>
  `${JSON.stringify({ type, object: { metadata: { name, resourceVersion } } })}\n`;

async function read(chunks: (string | Uint8Array | Error)[]): Promise<{ seen: string[]; error?: KubeError }> {
  const seen: string[] = [];
  async function* body() {
    for (const chunk of chunks) {
      if (chunk instanceof Error) throw chunk;
      yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
    }
  }
  try {
    for await (const { type, object } of decodeWatch(CALL, body()))
      seen.push(`${type} ${object.metadata.resourceVersion}`);
    return { seen };
  } catch (error) {
    return { seen, error: error as KubeError };
  }
}

test("events come whole however the bytes are cut", async () => {
  const text = event("ADDED", "schön-☂", "1") + event("MODIFIED", "b", "2") + event("BOOKMARK", "", "3");
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 7, 1000]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.slice(i * size, (i + 1) * size),
    );
    expect(await read(chunks)).toEqual({ seen: ["ADDED 1", "MODIFIED 2", "BOOKMARK 3"] });
  }
});

test("a last line that broke off is dropped, and is no error of its own", async () => {
  expect(await read([event("ADDED", "a", "1"), event("ADDED", "b", "2").slice(0, 20)])).toEqual({ seen: ["ADDED 1"] });
});

test.each([
  ["an ERROR event", '{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}\n', 410, "Expired"],
  ["an ERROR event that says nothing", '{"type":"ERROR"}\n', 500, "Unknown"],
  ["a page", "<html>\n<body>", 0, "NotAWatch"],
  ["other JSON", '{"ok":true}\n', 0, "NotAWatch"],
  ["null", "null\n", 0, "NotAWatch"],
  ["an event without version", '{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n', 0, "NotAWatch"],
  ["an event of an unknown type", event("CHANGED", "a", "1"), 0, "NotAWatch"],
])("%s ends the watch", async (_, text, code, reason) => {
  expect(await read([event("ADDED", "a", "1"), text])).toMatchObject({ seen: ["ADDED 1"], error: { code, reason } });
});

test("a connection that breaks is said so, after what came whole", async () => {
  const broken = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
  expect(await read([event("ADDED", "a", "1"), broken])).toMatchObject({
    seen: ["ADDED 1"],
    error: { code: 0, reason: "UND_ERR_SOCKET", message: expect.stringContaining("watch secrets") },
  });
});

test("a line without end does not fill the memory", async () => {
  const chunk = new Uint8Array(4 * 1024 * 1024).fill(0x61);
  expect(await read(Array(10).fill(chunk))).toMatchObject({ error: { reason: "NotAWatch" } });
});
