import type { TestProject } from "vitest/node";
import { badCases } from "./bad.ts";
import type { Case } from "./case.ts";
import { makeFamily } from "./family.ts";
import { goodCases } from "./good.ts";

declare module "vitest" {
  export interface ProvidedContext {
    certificates: { root: string; good: Case[]; bad: Case[]; madeAtMs: number };
  }
}

/** Makes the certificates of the tables once, with openssl, for tests that run in workerd. */
export default async function setup(project: TestProject): Promise<void> {
  const madeAtMs = Date.now();
  const family = await makeFamily();
  const [good, bad] = await Promise.all([goodCases(family), badCases(family)]);
  project.provide("certificates", { root: family.root.certificate, good, bad, madeAtMs });
}
