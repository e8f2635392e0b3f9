import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { HOST } from "../../certificates/family.ts";
import { Daemon } from "../../cluster/support/daemon.ts";
import { goTool, versionOf } from "../../cluster/support/go.ts";
import { type BinarySet, builtBinaries } from "../../cluster/support/go-build.ts";
import { freePort } from "../../support/free-port.ts";
import { cpuMs } from "../cpu.ts";
import type { Contender } from "../rounds.ts";

const BLACKBOX: BinarySet<"blackbox_exporter"> = {
  module: "blackbox-exporter",
  packages: { blackbox_exporter: "github.com/prometheus/blackbox_exporter" },
  variables: () => ({}),
};

/** Prometheus' own prober, running. */
export interface Blackbox {
  version: string;
  /** Asks the server on that port of 127.0.0.1 so many times, one after the other; CPU time is that of its process. */
  contender(protocol: "HTTP" | "HTTPS", port: number): Contender;
  stop(): Promise<void>;
}

/** What it takes to have it here, where it is missing; undefined where it is not. */
export function whyNoBlackbox(): string | undefined {
  try {
    goTool();
    return undefined;
  } catch {
    return "blackbox_exporter is NOT measured: put Go 1.26 or newer (https://go.dev/dl) on PATH, which builds it.";
  }
}

/** Builds it where no earlier run did, and starts it. @param roots PEM @throws where it cannot be built, or does not start */
export async function startBlackbox(roots: string): Promise<Blackbox> {
  const { blackbox_exporter: binary } = await builtBinaries(BLACKBOX);
  const folder = mkdtempSync(join(tmpdir(), "vedette-blackbox-"));
  writeFileSync(join(folder, "roots.pem"), roots);
  writeFileSync(join(folder, "blackbox.yaml"), stringify(configuration(join(folder, "roots.pem"))));
  const url = `http://127.0.0.1:${await freePort()}`;
  const daemon = new Daemon({
    name: "blackbox_exporter",
    binary,
    args: [`--config.file=${folder}/blackbox.yaml`, `--web.listen-address=${new URL(url).host}`, "--log.level=error"],
    folder,
    isReady: async () => (await fetch(`${url}/-/healthy`)).ok,
    // Without a post-quantum share, as ours.
    env: { GODEBUG: "tlsmlkem=0" },
  });
  await daemon.start();
  const pids = [daemon.pid ?? Number.NaN];
  return {
    version: versionOf(BLACKBOX.module, BLACKBOX.packages.blackbox_exporter),
    contender: (protocol, port) => ({
      name: "blackbox_exporter",
      async run(times) {
        const before = cpuMs(pids);
        const target = `${protocol.toLowerCase()}://127.0.0.1:${port}/`;
        for (let asked = 0; asked < times; asked++) await ask(`${url}/probe?module=${protocol}&target=${target}`);
        return cpuMs(pids) - before;
      },
    }),
    async stop() {
      await daemon.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One connection for each probe, HTTP/1.1, a body to its end and a verified certificate: as ours. */
function configuration(caFile: string) {
  const http = {
    preferred_ip_protocol: "ip4",
    enable_http2: false,
    headers: { Host: HOST },
    follow_redirects: false,
  };
  const secure = { ...http, fail_if_not_ssl: true, tls_config: { ca_file: caFile, server_name: HOST } };
  return { modules: { HTTP: { prober: "http", http }, HTTPS: { prober: "http", http: secure } } };
}

async function ask(url: string): Promise<void> {
  const text = await (await fetch(url)).text();
  if (!/^probe_success 1$/m.test(text)) throw new Error(`blackbox_exporter has not succeeded:\n${text}`);
}
