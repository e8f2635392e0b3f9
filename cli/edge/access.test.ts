import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { CliError, EXIT } from "../exit-code.ts";
import { accessOf } from "./access.ts";

const folder = mkdtempSync(join(tmpdir(), "vedette-access-"));
afterAll(() => rmSync(folder, { recursive: true }));

const EDGE = "https://edge.example.com";
const CANARY = "S3CR3T-canary";

function refusal(...given: Parameters<typeof accessOf>): CliError {
  try {
    accessOf(...given);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error("It was taken.");
}

describe("the token", () => {
  it("comes from the environment, or from a file that is named", () => {
    const file = join(folder, "token");
    writeFileSync(file, "from-file\n");
    expect(accessOf(EDGE, undefined, { VEDETTE_TOKEN: "from-env" })).toMatchObject({ token: "from-env" });
    expect(accessOf(EDGE, file, { VEDETTE_TOKEN: "from-env" })).toMatchObject({ token: "from-file" });
    expect(accessOf(EDGE, undefined, {})).not.toHaveProperty("token");
    expect(accessOf(EDGE, undefined, { VEDETTE_TOKEN: "" })).not.toHaveProperty("token");
  });

  it.each(["http://127.0.0.1:8787", "http://localhost:8787", "http://[::1]:8787", EDGE])("goes to %s", (edge) => {
    expect(accessOf(edge, undefined, { VEDETTE_TOKEN: "t" })).toMatchObject({ token: "t" });
  });

  it.each(["http://edge.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1"])(
    "does not go to %s",
    (edge) => {
      expect(refusal(edge, undefined, { VEDETTE_TOKEN: CANARY }).code).toBe(EXIT.Usage);
      expect(accessOf(edge, undefined, {})).not.toHaveProperty("token");
    },
  );

  it("is never shown, and what is wrong with it is", () => {
    const empty = join(folder, "empty");
    writeFileSync(empty, " \n");
    const refusals = [
      refusal("http://edge.example.com", undefined, { VEDETTE_TOKEN: CANARY }),
      refusal(EDGE, undefined, { VEDETTE_TOKEN: `${CANARY} and\nmore` }),
      refusal(EDGE, join(folder, "missing"), { VEDETTE_TOKEN: CANARY }),
      refusal(EDGE, empty, { VEDETTE_TOKEN: CANARY }),
    ];
    for (const { message, next, code } of refusals) {
      expect(code).toBe(EXIT.Usage);
      expect(message + next).not.toContain("S3CR3T");
      expect(next).not.toBe("");
    }
  });
});

describe("the edge's URL", () => {
  it.each([
    "edge.example.com",
    "ftp://edge.example.com",
    "https://me:pw@edge.example.com",
    `${EDGE}/v1`,
    `${EDGE}?a=b`,
  ])("is refused where it is %s", (edge) => {
    expect(refusal(edge, undefined, {})).toMatchObject({ code: EXIT.Usage });
  });
});
