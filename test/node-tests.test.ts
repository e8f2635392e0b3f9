import { join } from "node:path";
import { expect, it } from "vitest";
import { nodeTestsOfWorkers } from "./node-tests.ts";

it("finds the tests of Workers that need nothing of their runtime", () => {
  const found = nodeTestsOfWorkers(join(import.meta.dirname, ".."));
  expect(found).toContain("workers/settings.test.ts");
  expect(found).toContain("workers/notifier/rules/rules.properties.test.ts");
  // Each needs it in another way: by its own import, by that of its support, by a server, and by its cryptography.
  for (const file of [
    "index.test.ts",
    "cluster/outbox.test.ts",
    "prober/colo.test.ts",
    "prober/tls/signature.test.ts",
  ]) {
    expect(found).not.toContain(`workers/${file}`);
  }
});
