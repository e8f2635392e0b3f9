import { expect, it } from "vitest";
import { mutantsOf } from "./mutants.ts";

it("changes operators, literals and statements, and nothing of types", () => {
  const source = 'import type { A } from "./a.ts";\nconst LIMIT: 3 | 4 = 3;\nif (one(LIMIT) >= 2 && true) stop();\n';
  const changed = mutantsOf("x.ts", source).map(({ line, start, end, text }) => [
    line,
    (source.slice(0, start) + text + source.slice(end)).split("\n")[line - 1],
  ]);
  expect(changed).toEqual([
    [2, "const LIMIT: 3 | 4 = 6;"],
    [3, "if (one(LIMIT) > 2 && true) stop();"],
    [3, "if (one(LIMIT) >= 4 && true) stop();"],
    [3, "if (one(LIMIT) >= 2 || true) stop();"],
    [3, "if (one(LIMIT) >= 2 && false) stop();"],
    [3, "if (one(LIMIT) >= 2 && true) "],
  ]);
});
