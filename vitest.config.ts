import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import type { FleetPorts } from "./test/gateways/fleet.ts";
import { nodeTestsOfWorkers } from "./test/node-tests.ts";
import type { LiveServers } from "./test/tls-servers/servers.ts";
import "./dashboard/build/ensure-built.ts";
import "./workers/prober/tls/generate-roots.ts";

const pure = [
  "docs/**/*.test.ts",
  "shared/**/*.test.ts",
  "agent/**/*.test.ts",
  "cli/**/*.test.ts",
  "dashboard/**/*.test.ts",
  "local/**/*.test.ts",
  "deploy/**/*.test.ts",
  "test/sim/**/*.test.ts",
  "test/certificates/**/*.test.ts",
  "test/*.test.ts",
  "test/mutate/**/*.test.ts",
  "test/tls/**/*.test.ts",
  "test/monitoring/**/*.test.ts",
];
const ofWorkersInNode = nodeTestsOfWorkers(import.meta.dirname);

/** Property tests make all their runs in CI, and a tenth of them elsewhere. */
const provide = { allPropertyRuns: process.env.VEDETTE_ALL_PROPERTIES === "1" };

/** The Worker as it is deployed, but for settings that let it probe the gateways of this machine. */
const workersOptions = ({ resolver }: FleetPorts, { root }: LiveServers, configPath = "./wrangler.toml") => ({
  wrangler: { configPath },
  miniflare: {
    bindings: {
      ALLOW_PRIVATE_ADDRESSES: "true",
      CANARIES: "",
      CHECK_TOKEN: "token-of-the-platform-check",
      COLO_URL: "",
      EXTRA_ROOTS: root,
      RESOLVER_URL: `http://127.0.0.1:${resolver}/dns-query`,
    },
  },
});

/** What computes goes before what mostly waits, of which more can run at a time. */
const UNITS = { groupOrder: 0 };
const WAITING = { groupOrder: 1 };

/** Tests in workerd that keep to Durable Objects of their own, and so can share a runtime with the files before and after them. */
const SHARING = ["workers/{cluster,coordinator,prober}/**/*.test.ts"];
const SETUP = ["./test/support/setup/restore.ts"];

type Files = { include: string[]; exclude: string[]; isolate: boolean };

const workersProject = (name: string, files: Files, wrangler?: string) => ({
  plugins: [
    cloudflareTest(({ inject }) =>
      workersOptions(inject<FleetPorts>("gateways"), inject<LiveServers>("liveServers"), wrangler),
    ),
  ],
  test: {
    ...files,
    name,
    provide,
    globalSetup: [
      "./test/gateways/global-setup.ts",
      "./test/receivers/global-setup.ts",
      "./test/tls-servers/global-setup.ts",
      "./test/tls/global-setup.ts",
      "./test/certificates/global-setup.ts",
    ],
    setupFiles: SETUP,
    testTimeout: 90_000,
    maxWorkers: 2,
    sequence: UNITS,
  },
});

/** These run in the platform check's own Worker. */
const PLATFORM_CHECK = ["deploy/platform-check/{platform-check,loopback-dials}.test.ts"];

export default defineConfig({
  test: {
    reporters: ["default", "./test/closing-line.ts"],
    projects: [
      {
        test: {
          name: "node",
          provide,
          // Starting a process for each file costs more than most of the files.
          isolate: false,
          exclude: PLATFORM_CHECK,
          include: [...pure, ...ofWorkersInNode],
          environment: "node",
          setupFiles: SETUP,
          testTimeout: 30_000,
          maxWorkers: 2,
          sequence: UNITS,
        },
      },
      workersProject("workers", { include: SHARING, exclude: ofWorkersInNode, isolate: false }),
      workersProject("workers-isolated", {
        include: ["workers/**/*.test.ts"],
        exclude: [...SHARING, ...ofWorkersInNode],
        isolate: true,
      }),
      workersProject(
        "platform-check",
        { include: PLATFORM_CHECK, exclude: [], isolate: true },
        "./deploy/platform-check/wrangler.toml",
      ),
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          environment: "node",
          testTimeout: 300_000,
          hookTimeout: 240_000,
          maxWorkers: 3,
          sequence: WAITING,
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          environment: "node",
          globalSetup: ["./test/browser/support/global-setup.ts"],
          testTimeout: 400_000,
          hookTimeout: 240_000,
          maxWorkers: 3,
          sequence: WAITING,
        },
      },
      {
        test: {
          name: "cluster",
          provide,
          include: ["test/cluster/**/*.test.ts"],
          environment: "node",
          globalSetup: ["./test/cluster/support/global-setup.ts"],
          testTimeout: 400_000,
          hookTimeout: 240_000,
          maxWorkers: 3,
          sequence: WAITING,
        },
      },
    ],
  },
});
