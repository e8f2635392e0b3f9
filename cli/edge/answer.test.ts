import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CliError, EXIT } from "../exit-code.ts";
import { clean, read } from "./answer.ts";

const schema = z.object({ name: z.string() });
const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
const problem = (code: string, status: number, more: object = {}) =>
  answer(status, { type: `https://vedette.dev/problems/${code}`, title: `Title of ${code}`, status, ...more });

async function errorOf(response: Response): Promise<CliError> {
  const error = await read(response, schema).catch((thrown: unknown) => thrown);
  if (error instanceof CliError) return error;
  throw new Error(`It was taken: ${JSON.stringify(error)}`);
}

describe("what the edge answers", () => {
  it("is read by the schema", async () => {
    expect(await read(answer(200, { name: "a", more: 1 }), schema)).toMatchObject({ name: "a" });
  });

  it.each([
    [problem("TokenMissing", 401), EXIT.Refused],
    [problem("TokenWrong", 401), EXIT.Refused],
    [problem("AdminClosed", 403), EXIT.Refused],
    [problem("RecordUnknown", 404), EXIT.NotFound],
    [problem("ClusterUnknown", 404), EXIT.NotFound],
    [problem("NotFound", 404), EXIT.Unreachable],
    [problem("MethodNotAllowed", 405), EXIT.Unreachable],
    [problem("ClusterExists", 409), EXIT.Trouble],
    [problem("FieldInvalid", 422), EXIT.Usage],
    [problem("MalformedBody", 400), EXIT.Usage],
    [problem("TooManyRequests", 429), EXIT.Unreachable],
    [problem("InternalError", 500), EXIT.Unreachable],
    [problem("CoordinatorUnavailable", 503), EXIT.Unreachable],
    [answer(502, "<html>bad gateway"), EXIT.Unreachable],
    [answer(404, "<html>nothing here"), EXIT.Unreachable],
    [answer(200, "<html>welcome"), EXIT.Unreachable],
    [answer(200, { other: 1 }), EXIT.Unreachable],
    [answer(302, "", { location: "https://login.test/" }), EXIT.Unreachable],
  ])("ends the program by its kind, and says what to do (%#)", async (response, code) => {
    const error = await errorOf(response);
    expect(error.code).toBe(code);
    expect(error.next).not.toBe("");
  });

  it("is told field by field where the edge refuses what was given", async () => {
    const errors = [
      { field: "address", value: '"10.0.0.1"', rule: "cannot be probed" },
      { field: "timeout", rule: "must be a duration" },
    ];
    const { message } = await errorOf(problem("FieldInvalid", 422, { errors }));
    expect(message).toContain('\n  address: "10.0.0.1" cannot be probed\n  timeout: must be a duration');
  });

  it("cannot steer a terminal, whoever wrote it", async () => {
    const { name } = await read(answer(200, { name: "a\u001b[2Jb\u009bc\u202ed\r\n" }), schema);
    expect(name).toBe("a\ufffd[2Jb\ufffdc\ufffdd\ufffd\ufffd");
    const { message } = await errorOf(problem("InternalError", 500, { detail: "\u001b]0;x\u0007" }));
    expect(message).toBe(clean(message));
  });
});
