import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import type { FleetPorts } from "./test/gateways/fleet.ts";
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
  "test/tls/**/*.test.ts",
  "test/monitoring/**/*.test.ts",
];

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

/** Tests wait longer for a state than by default: a busy machine comes to it, too. */
const PATIENT = ["./test/support/patient-waits.ts"];

/** These run in the platform check's own Worker. */
const PLATFORM_CHECK = ["deploy/platform-check/{platform-check,loopback-dials}.test.ts"];

export default defineConfig({
  test: {
    reporters: ["default", "./test/closing-line.ts"],
    projects: [
      {
        test: {
          name: "node",
          include: pure,
          exclude: PLATFORM_CHECK,
          environment: "node",
          setupFiles: PATIENT,
          testTimeout: 30_000,
          maxWorkers: 2,
          sequence: UNITS,
        },
      },
      {
        plugins: [
          cloudflareTest(({ inject }) =>
            workersOptions(inject<FleetPorts>("gateways"), inject<LiveServers>("liveServers")),
          ),
        ],
        test: {
          name: "workers",
          include: ["workers/**/*.test.ts"],
          globalSetup: [
            "./test/gateways/global-setup.ts",
            "./test/receivers/global-setup.ts",
            "./test/tls-servers/global-setup.ts",
            "./test/tls/global-setup.ts",
            "./test/certificates/global-setup.ts",
          ],
          setupFiles: PATIENT,
          testTimeout: 90_000,
          maxWorkers: 2,
          sequence: UNITS,
        },
      },
      {
        plugins: [
          cloudflareTest(({ inject }) =>
            workersOptions(
              inject<FleetPorts>("gateways"),
              inject<LiveServers>("liveServers"),
              "./deploy/platform-check/wrangler.toml",
            ),
          ),
        ],
        test: {
          name: "platform-check",
          include: PLATFORM_CHECK,
          globalSetup: ["./test/gateways/global-setup.ts", "./test/tls-servers/global-setup.ts"],
          setupFiles: PATIENT,
          testTimeout: 90_000,
          maxWorkers: 2,
          sequence: UNITS,
        },
      },
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
