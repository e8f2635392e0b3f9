import type { Reporter, TestModule, Vitest } from "vitest/node";

const HOW_TO_RUN_THE_REST = "The tests on a real Kubernetes API server need Go: npm run test:cluster";

/** Prints the closing line that `.ci/run` ends with: `N passed, N failed`, and `, N skipped` where any was. */
export default class ClosingLine implements Reporter {
  #isWithoutCluster = false;

  onInit({ projects }: Vitest): void {
    // One project alone is somebody's own choice of tests.
    this.#isWithoutCluster = projects.length > 1 && projects.every(({ name }) => name !== "cluster");
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "pending") count.failed += 1;
        else count[state] += 1;
      }
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    if (this.#isWithoutCluster) process.stdout.write(`\n${HOW_TO_RUN_THE_REST}\n`);
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`);
  }
}
