import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManifestSource } from "./file-source.ts";

const record = (name: string, target = "192.0.2.1", more = "") => `apiVersion: vedette.dev/v1alpha1
kind: DNSRecord
metadata: { name: ${name}, namespace: shop }
spec:
  rootHost: ${name}.example.com
  endpoints:
    - { dnsName: ${name}.example.com, recordType: A, targets: [${target}] }
${more}`;

const withHeaders = `  healthCheck:
    protocol: HTTP
    additionalHeadersRef: { name: probe }
    allowHeadersInCleartext: true
`;
const secret = (value: string) =>
  `apiVersion: v1\nkind: Secret\nmetadata: { name: probe, namespace: shop }\nstringData: { X-Key: ${JSON.stringify(value)} }\n`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vedette-source-"));
});
afterEach(async () => {
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true });
});

const put = (name: string, text: string) => writeFile(join(folder, name), text);

/** Two polls, as a change needs: seen, then found quiet. */
async function settle(source: ManifestSource) {
  await source.poll();
  const { complete, records, problems } = await source.poll();
  const targets = Object.fromEntries(
    records.map(({ key, spec }) => [key, spec.endpoints.flatMap((endpoint) => endpoint.targets)]),
  );
  return { complete, targets, problems: problems.map((problem) => problem.replaceAll(`${folder}/`, "")) };
}

const start = (...paths: string[]) => new ManifestSource(paths.length === 0 ? [folder] : paths, new Map());

describe("the records of a folder", () => {
  it("come from its manifests, and from nothing else in it", async () => {
    await put("a.yaml", record("a"));
    await put("b.yml", record("b"));
    await put("readme.md", "no manifest");
    await put(".hidden.yaml", record("hidden"));
    await put("vedette.state.json", "{}");
    await mkdir(join(folder, "below.yaml.d"));
    expect(await settle(start())).toEqual({
      complete: true,
      targets: { "shop/a": ["192.0.2.1"], "shop/b": ["192.0.2.1"] },
      problems: [],
    });
  });

  it("follow edits, new files and deleted files", async () => {
    await put("a.yaml", record("a"));
    const source = start();
    await settle(source);
    await put("a.yaml", record("a", "192.0.2.2"));
    await put("b.yaml", record("b"));
    expect((await settle(source)).targets).toEqual({ "shop/a": ["192.0.2.2"], "shop/b": ["192.0.2.1"] });
    await rm(join(folder, "a.yaml"));
    expect((await settle(source)).targets).toEqual({ "shop/b": ["192.0.2.1"] });
  });

  it("follow links that are swapped, as a ConfigMap's are", async () => {
    for (const version of ["1", "2"]) {
      await mkdir(join(folder, `..v${version}`));
      await writeFile(join(folder, `..v${version}`, "a.yaml"), record("a", `192.0.2.${version}`));
    }
    await symlink("..v1", join(folder, "..data"));
    await symlink(join("..data", "a.yaml"), join(folder, "a.yaml"));
    const source = start();
    expect((await settle(source)).targets).toEqual({ "shop/a": ["192.0.2.1"] });
    await symlink("..v2", join(folder, "..new"));
    await rename(join(folder, "..new"), join(folder, "..data"));
    expect((await settle(source)).targets).toEqual({ "shop/a": ["192.0.2.2"] });
  });

  it("stay as they were last good while a document is wrong, and follow once it is mended", async () => {
    await put("a.yaml", [record("a"), record("b"), record("c")].join("---\n"));
    const source = start();
    await settle(source);
    await put("a.yaml", [record("a", "oops"), record("b", "192.0.2.2")].join("---\n"));
    const wrong = await settle(source);
    expect(wrong.targets).toEqual({ "shop/a": ["192.0.2.1"], "shop/b": ["192.0.2.2"] });
    expect(wrong.problems).toEqual(['a.yaml:7:58 shop/a spec.endpoints[0].targets[0]: "oops" must be an IPv4 address']);
    await put("a.yaml", [record("a", "192.0.2.3"), record("b", "192.0.2.2")].join("---\n"));
    expect(await settle(source)).toMatchObject({ targets: { "shop/a": ["192.0.2.3"] }, problems: [] });
  });

  it.each([
    ["a syntax error", `${record("a", "192.0.2.2")}---\nspec: [\n`],
    ["nothing", ""],
    ["bytes that are no text", Buffer.of(0xff, 0xfe, 0x00)],
    ["half of it", record("a").slice(0, 60)],
  ])("stay while a file holds %s", async (_, text) => {
    await put("a.yaml", [record("a"), record("b")].join("---\n"));
    const source = start();
    await settle(source);
    await writeFile(join(folder, "a.yaml"), text);
    const { targets, problems } = await settle(source);
    expect(Object.keys(targets)).toEqual(["shop/a", "shop/b"]);
    expect(problems).toHaveLength(1);
  });

  it("are not taken from a file that is still being written", async () => {
    await put("a.yaml", record("a"));
    const source = start();
    await settle(source);
    const whole = [record("a"), record("b"), record("c")].join("---\n");
    for (let length = 0; length < whole.length; length += 40) {
      await put("a.yaml", whole.slice(0, length));
      expect((await source.poll()).records.map(({ key }) => key)).toEqual(["shop/a"]);
    }
    await put("a.yaml", whole);
    expect(Object.keys((await settle(source)).targets)).toEqual(["shop/a", "shop/b", "shop/c"]);
  });

  it("outlive the moment in which an editor moves the file away", async () => {
    await put("a.yaml", record("a"));
    const source = start();
    await settle(source);
    await rename(join(folder, "a.yaml"), join(folder, "a.yaml~"));
    expect((await source.poll()).records).toHaveLength(1);
    await put("a.yaml", record("a", "192.0.2.2"));
    expect((await settle(source)).targets).toEqual({ "shop/a": ["192.0.2.2"] });
  });

  it("that are given twice: the first holds, and both places are named", async () => {
    await put("a.yaml", record("a"));
    await put("b.yaml", record("a", "192.0.2.2"));
    const { targets, problems } = await settle(start());
    expect(targets).toEqual({ "shop/a": ["192.0.2.1"] });
    expect(problems).toEqual(["b.yaml:1 shop/a is a second DNSRecord of that name: the one at a.yaml:1 holds"]);
  });
});

describe("what cannot be read is never taken for empty", () => {
  it("a folder that is gone, from the start and later", async () => {
    const path = join(folder, "records");
    const source = start(path);
    const before = await settle(source);
    expect(before).toMatchObject({
      complete: false,
      problems: ["records cannot be read (ENOENT): what it held stays"],
    });
    await mkdir(path);
    await writeFile(join(path, "a.yaml"), record("a"));
    expect(await settle(source)).toMatchObject({ complete: true, targets: { "shop/a": ["192.0.2.1"] } });
    await rm(path, { recursive: true });
    expect(await settle(source)).toMatchObject({ complete: true, targets: { "shop/a": ["192.0.2.1"] } });
  });

  it("a file that is a link to nowhere is no file; one that is a circle of links cannot be read", async () => {
    await put("a.yaml", record("a"));
    await symlink("nowhere", join(folder, "b.yaml"));
    await symlink("c.yaml", join(folder, "c.yaml"));
    const source = start();
    expect(await settle(source)).toMatchObject({
      complete: false,
      problems: ["c.yaml cannot be read (ELOOP): what it held stays"],
    });
    await rm(join(folder, "c.yaml"));
    expect(await settle(source)).toMatchObject({ complete: true, problems: [] });
  });

  it("a file that cannot be read any more keeps its records; deleted, it does not", async () => {
    await put("a.yaml", record("a"));
    await put("b.yaml", record("b"));
    const source = start();
    await settle(source);
    await rm(join(folder, "a.yaml"));
    await symlink("a.yaml", join(folder, "a.yaml"));
    const { targets, problems } = await settle(source);
    expect(Object.keys(targets)).toEqual(["shop/a", "shop/b"]);
    expect(problems).toEqual(["a.yaml cannot be read (ELOOP): what it held stays"]);
    await rm(join(folder, "a.yaml"));
    expect(Object.keys((await settle(source)).targets)).toEqual(["shop/b"]);
  });

  it("a file that a former process has read counts with what it held then", async () => {
    await put("a.yaml", record("a"));
    await put("b.yaml", record("b"));
    const former = start();
    await settle(former);
    const { records } = await former.poll();
    const remembered = new Map(
      records.map((one) => [
        one.file ?? "",
        {
          records: [{ ...one, line: one.line ?? 1 }],
          secrets: [],
          problems: [],
          broken: new Set<string>(),
          unclear: false,
        },
      ]),
    );
    await rm(join(folder, "a.yaml"));
    await symlink("a.yaml", join(folder, "a.yaml"));
    await put("b.yaml", record("b", "oops"));
    const restarted = new ManifestSource([folder], remembered);
    expect(await settle(restarted)).toMatchObject({
      complete: true,
      targets: { "shop/a": ["192.0.2.1"], "shop/b": ["192.0.2.1"] },
    });
  });
});

describe("header secrets", () => {
  const joined = async (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) await put(name, text);
    const { records } = await start().poll();
    const { headers, headersProblem } = records[0] ?? {};
    return { headers, headersProblem };
  };

  it("are joined by name, with the white space around them trimmed", async () => {
    expect(await joined({ "a.yaml": record("a", "192.0.2.1", withHeaders), "s.yaml": secret("value\n") })).toEqual({
      headers: { "X-Key": "value" },
      headersProblem: undefined,
    });
  });

  it("that are missing are a problem of the record, not a missing record", async () => {
    expect(await joined({ "a.yaml": record("a", "192.0.2.1", withHeaders) })).toEqual({
      headers: undefined,
      headersProblem: "The Secret shop/probe is not among the manifests.",
    });
  });

  it("that would split the request are a problem, told without the value", async () => {
    const { headers, headersProblem } = await joined({
      "a.yaml": record("a", "192.0.2.1", withHeaders),
      "s.yaml": secret("x\r\nHost: evil"),
    });
    expect(headers).toBeUndefined();
    expect(headersProblem).toMatch(/X-Key/);
    expect(headersProblem).not.toMatch(/evil/);
  });
});
