import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import "./ensure-built.ts";

const FOLDER = join(import.meta.dirname, "../../dist/dashboard");
const LIMIT_BYTES = 100_000;
/** What zod leaves in a bundle, however it is minified. */
const ZOD = /ZodError|invalid_type|safeParse/;

/** The document and all that it names. */
function firstLoad(): string[] {
  const html = readFileSync(join(FOLDER, "index.html"), "utf8");
  const named = [...html.matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, path = ""]) => path);
  return ["index.html", ...named];
}

it(`loads less than ${LIMIT_BYTES} bytes at first, compressed`, () => {
  const sizes = firstLoad().map((path) => [path, gzipSync(readFileSync(join(FOLDER, path))).length] as const);
  expect(sizes.length).toBeGreaterThan(3);
  expect(
    sizes.reduce((sum, [, size]) => sum + size, 0),
    JSON.stringify(sizes),
  ).toBeLessThan(LIMIT_BYTES);
});

it("has the style of all pages at once: what is lost on the way later leaves none of them bare", () => {
  const sheets = readdirSync(join(FOLDER, "assets")).filter((file) => file.endsWith(".css"));
  expect(sheets).toHaveLength(1);
  expect(firstLoad()).toContain(`assets/${sheets[0]}`);
});

it("loads no charts before they are shown", () => {
  const scripts = firstLoad().filter((path) => path.endsWith(".js"));
  for (const path of scripts) expect(readFileSync(join(FOLDER, path), "utf8"), path).not.toContain("uplot");
});

it("has no schema library in any of its parts", () => {
  const files = readdirSync(join(FOLDER, "assets"));
  for (const file of files) expect(readFileSync(join(FOLDER, "assets", file), "utf8"), file).not.toMatch(ZOD);
});

it("has nothing inline that its policy forbids, and asks no other site", () => {
  const html = readFileSync(join(FOLDER, "index.html"), "utf8");
  expect(html).not.toMatch(/<style|style="|<script(?![^>]*src=)|\son\w+="/);
  expect(html).not.toMatch(/(?:src|href)="(?!\/)/);
});
