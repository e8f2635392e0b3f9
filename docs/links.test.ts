import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z", "*.md", "*.ts", "*.tsx"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => file !== "" && existsSync(join(ROOT, file)));
const pages = files.filter((file) => file.endsWith(".md"));

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

const MADE_BY_TESTS = "test/browser/screenshots";

/** A page without its blocks of code. */
const prose = (file: string) => read(file).replaceAll(/^```.*?^```/gms, "");

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  return [...prose(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function isBroken(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const file = path === "" ? page : relative(ROOT, join(ROOT, dirname(page), path));
  if (!existsSync(join(ROOT, file))) return true;
  return anchor !== undefined && (statSync(join(ROOT, file)).isDirectory() || !anchorsOf(file).includes(anchor));
}

describe("the documents", () => {
  it.each(pages)("%s has no broken link", (page) => {
    const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    const local = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(local.filter((link) => isBroken(page, link))).toEqual([]);
  });

  it.each(["CONTRIBUTING.md", "README.md", ...pages.filter((page) => page.startsWith("docs/"))])(
    "%s names only paths that exist",
    (page) => {
      const paths = [
        ...prose(page).matchAll(/`((?:workers|shared|agent|cli|dashboard|deploy|local|docs|test)\/[\w./-]*)`/g),
      ].map(([, path = ""]) => path);
      expect(paths.filter((path) => path !== MADE_BY_TESTS && !existsSync(join(ROOT, path)))).toEqual([]);
    },
  );

  it("that comments refer to have the section that is named", () => {
    const references = files
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) =>
        [...read(file).matchAll(/\bdocs\/([\w/-]+\.md)(?:#([\w-]+))?/g)].map(([text, path = "", anchor]) => ({
          file,
          text,
          path,
          anchor,
        })),
      );
    const broken = references.filter(({ path, anchor }) =>
      isBroken(join("docs", "any.md"), anchor === undefined ? path : `${path}#${anchor}`),
    );
    expect(broken).toEqual([]);
  });
});
