import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listFiles, readStable } from "./file-source.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vedette-files-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("a file", () => {
  const stampOf = async (file: string) => (await listFiles([file])).files.get(file) ?? "";

  it("is read as it was when it was listed, or not at all", async () => {
    const file = join(folder, "a.yaml");
    await writeFile(file, "one");
    const stamp = await stampOf(file);
    expect(await readStable(file, stamp)).toEqual({ kind: "Text", text: "one" });
    await writeFile(file, "other");
    expect(await readStable(file, stamp)).toEqual({ kind: "Changing" });
  });

  it("that is too large is wrong, and not read", async () => {
    const file = join(folder, "a.yaml");
    await writeFile(file, Buffer.alloc(8 * 1024 * 1024 + 1, "#"));
    expect(await readStable(file, await stampOf(file))).toEqual({
      kind: "Wrong",
      message: "has 8388609 bytes; at most 8388608 are read",
    });
  });

  it("that is gone, and one that cannot be read, are two things", async () => {
    expect(await readStable(join(folder, "a.yaml"), "")).toEqual({ kind: "Gone" });
    expect(await readStable(folder, "")).toEqual({ kind: "Unreadable", code: "EISDIR" });
  });
});
