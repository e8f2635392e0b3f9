import { expect, it } from "vitest";
import type { SnapshotLine } from "../../shared/snapshot.ts";
import { validateLines } from "./validate-lines.ts";

it("20,000 lines of one name are refused in few words each", () => {
  const lines = Array.from({ length: 20_000 }, (_, n): SnapshotLine => {
    return { line: n + 2, ok: false, key: "shop/api", errors: [] };
  });
  const messages = validateLines(lines, { hosts: [], ports: [] }).map((line) =>
    "refused" in line ? line.refused.message : "",
  );
  expect(messages[0]).toContain("on lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 19990 more: none is taken");
  expect(messages.join("").length).toBeLessThan(20_000 * 200);
});
