import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BROKEN_REGIONS, type Breakage, startGateway } from "../../../local/sample-gateways.ts";
import { until } from "./until.ts";

export type TestGateway = {
  server: "nginx" | "haproxy" | "Node";
  address: string;
  /** Breaks it in this way, or repairs it. */
  change(breakage: Breakage | undefined): Promise<void>;
  stop(): Promise<void>;
};

const BINARIES = { nginx: "/usr/sbin/nginx", haproxy: "/usr/sbin/haproxy" } as const;

/** Gateways on one port: in turn nginx, haproxy and a Node server; Node where the first two are not installed. */
export async function startGateways(addresses: readonly string[], port: number): Promise<TestGateway[]> {
  const starters = [startNginx, startHaproxy, startNode];
  const gateways: TestGateway[] = [];
  for (const [index, address] of addresses.entries()) {
    const start = starters[index % starters.length] ?? startNode;
    gateways.push(await start(address, port));
  }
  console.log(`gateways: ${gateways.map(({ server, address }) => `${server} on ${address}:${port}`).join(", ")}`);
  return gateways;
}

async function startNode(address: string, port: number): Promise<TestGateway> {
  const gateway = await startGateway({ number: 1, address, port });
  return { server: "Node", address, change: gateway.change, stop: gateway.stop };
}

async function startNginx(address: string, port: number): Promise<TestGateway> {
  if (!existsSync(BINARIES.nginx)) return await startNode(address, port);
  const folder = mkdtempSync(join(tmpdir(), "vedette-nginx-"));
  // A file of the region's name, or of the name `all`, breaks it without a reload.
  const config = `
    pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1; daemon off;
    ${process.getuid?.() === 0 ? "user root;" : ""}
    events { worker_connections 128; }
    http {
      access_log off;
      ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")}
      map $http_user_agent $region { default none; "~region=(?<name>[a-z-]+)" $name; }
      server {
        listen ${address}:${port};
        location / {
          if (-f ${folder}/broken-all) { return 500; }
          if (-f ${folder}/broken-$region) { return 500; }
          return 200 "ok\\n";
        }
      }
    }`;
  writeFileSync(join(folder, "nginx.conf"), config);
  const launch = () => spawn(BINARIES.nginx, ["-p", folder, "-e", `${folder}/error.log`, "-c", "nginx.conf"], SPAWNED);
  return await serverGateway("nginx", address, port, folder, launch, async (regions) => {
    for (const name of ["all", ...(BROKEN_REGIONS.regions ?? [])]) rmSync(`${folder}/broken-${name}`, { force: true });
    for (const name of regions) writeFileSync(`${folder}/broken-${name}`, "");
  });
}

async function startHaproxy(address: string, port: number): Promise<TestGateway> {
  if (!existsSync(BINARIES.haproxy)) return await startNode(address, port);
  const folder = mkdtempSync(join(tmpdir(), "vedette-haproxy-"));
  const map = `${folder}/broken.map`;
  const config = `
global
  stats socket ${folder}/admin.sock level admin
defaults
  mode http
  timeout connect 1s
  timeout client 10s
  timeout server 10s
frontend gateway
  bind ${address}:${port}
  http-request return status 500 content-type text/plain string "broken" if { req.hdr(user-agent),map_sub(${map}) -m found }
  http-request return status 200 content-type text/plain string "ok"
`;
  writeFileSync(map, "");
  writeFileSync(join(folder, "haproxy.cfg"), config);
  const launch = () => spawn(BINARIES.haproxy, ["-db", "-f", join(folder, "haproxy.cfg")], SPAWNED);
  return await serverGateway("haproxy", address, port, folder, launch, async (regions) => {
    await tellHaproxy(folder, `clear map ${map}`);
    for (const name of regions)
      await tellHaproxy(folder, `add map ${map} ${name === "all" ? "Vedette" : `region=${name})`} 1`);
  });
}

const SPAWNED = { stdio: "ignore", detached: true } as const;

/** A gateway in a process group of its own: broken by `failFor`, refused by ending it, hung by halting it. */
async function serverGateway(
  server: TestGateway["server"],
  address: string,
  port: number,
  folder: string,
  launch: () => ChildProcess,
  failFor: (regions: readonly string[]) => Promise<void>,
): Promise<TestGateway> {
  let running: ChildProcess | undefined;
  const signal = (name: NodeJS.Signals): void => {
    process.kill(-(running?.pid ?? Number.NaN), name);
  };
  const start = async () => {
    running = launch();
    await until(`${server} to accept on ${address}:${port}`, () => accepts(address, port));
  };
  const end = async () => {
    if (running === undefined) return;
    const ended = once(running, "exit");
    signal("SIGKILL");
    await ended;
    running = undefined;
  };
  await start();
  return {
    server,
    address,
    async change(breakage) {
      if (running === undefined) await start();
      signal("SIGCONT");
      if (breakage === "refuse") await end();
      else if (breakage === "hang") signal("SIGSTOP");
      else await failFor(breakage === undefined ? [] : (BROKEN_REGIONS[breakage] ?? ["all"]));
    },
    async stop() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function tellHaproxy(folder: string, command: string): Promise<void> {
  const socket = connect(join(folder, "admin.sock"));
  socket.end(`${command}\n`);
  socket.resume();
  await once(socket, "close");
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
