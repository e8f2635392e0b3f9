import { join } from "node:path";
import { defineConfig } from "vite";
import { landPath } from "./build/land-path.ts";

/** The view: static files that the Worker serves beside its API. Its tests are in the root's vitest.config.ts. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [landPath()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: join(import.meta.dirname, "../dist/dashboard"),
    emptyOutDir: true,
    // The first that know light-dark().
    target: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // The page's policy allows no inlined anything.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A few KB for all pages. A separate sheet for a page, once it failed to load, was never requested again.
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
});
