import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { delivered } from "../../test/support/agent/delivered.ts";
import type { State } from "./state.ts";
import { loadState, saveState } from "./state-file.ts";

const NOW = Date.UTC(2026, 10, 30, 12);
const state: State = {
  clusterUid: "0123-uid",
  version: 1,
  edge: { url: "https://edge.test", cluster: "here" },
  number: { epoch: 5, n: 6 },
  sentAt: 7,
  silent: false,
  serial: 8,
  records: {},
  hosts: {
    "x.test": { served: delivered("x.test", ["192.0.2.1"]).endpoints, delivered: delivered("x.test", ["192.0.2.1"]) },
  },
  problems: [],
};

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vedette-state-"));
  path = join(folder, "vedette.state.json");
});
afterEach(() => rm(folder, { recursive: true }));

describe("the state file", () => {
  it("gives back what was saved", async () => {
    await saveState(path, state);
    expect(await loadState(path, NOW)).toEqual({ kind: "State", state });
    expect(await readdir(folder)).toEqual(["vedette.state.json"]);
  });

  it("is absent at first", async () => {
    expect(await loadState(path, NOW)).toEqual({ kind: "Nothing" });
  });

  it.each([
    ["cut off", (text: string) => text.slice(0, text.length / 2), "0123-uid"],
    ["empty", () => "", undefined],
    ["of zeros, as a crash of the machine can leave it", () => "\0".repeat(200), undefined],
    ["of another shape", () => JSON.stringify({ ...state, hosts: [] }), "0123-uid"],
    ["of a later version", () => JSON.stringify({ ...state, version: 2 }), "0123-uid"],
  ])("that is %s is set aside whole, and the identity saved from it", async (_, breakIt, clusterUid) => {
    await saveState(path, state);
    const broken = breakIt(await readFile(path, "utf8"));
    await writeFile(path, broken);
    const setAside = `${path}.broken-2026-11-30T12-00-00.000Z`;
    const loaded = await loadState(path, NOW);
    expect(loaded).toEqual({
      kind: "Broken",
      why: expect.any(String),
      setAside,
      ...(clusterUid !== undefined && { clusterUid }),
    });
    expect(await readFile(setAside, "utf8")).toBe(broken);
    expect(await loadState(path, NOW)).toEqual({ kind: "Nothing" });
  });

  it("that cannot be read is an error, and no new one", async () => {
    await expect(loadState(folder, NOW)).rejects.toThrow("EISDIR");
  });
});
