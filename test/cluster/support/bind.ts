import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../support/free-port.ts";
import { Daemon } from "./daemon.ts";
import { guard } from "./guard.ts";

/** What dig saw: the response code, and the data of the records of the type asked for, sorted. */
export interface DigAnswer {
  code: string;
  data: string[];
}

/** A BIND on a loopback port that holds one zone, which the holder of its key may update (RFC 2136) and transfer. */
export interface Bind {
  host: string;
  port: number;
  zone: string;
  key: { name: string; algorithm: string; secret: string };
  /** Asks it with dig. */
  dig(name: string, type: "A" | "AAAA" | "CNAME" | "TXT"): Promise<DigAnswer>;
  /** Every record of the zone but its SOA and NS, as `name type data`, sorted. */
  records(): Promise<string[]>;
  /** Changes the zone as anybody else with the key would: lines of nsupdate, `update add …`. */
  update(...lines: string[]): Promise<void>;
  daemon: Daemon;
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";
const BINARY = "/usr/sbin/named";

/** Starts BIND with an empty zone. Throws where it is not installed. */
export async function startBind(zone: string): Promise<Bind> {
  if (!existsSync(BINARY)) throw new Error("BIND is not installed: apt-get install bind9 (and dnsutils for dig)");
  const folder = mkdtempSync(join(tmpdir(), "vedette-bind-"));
  const release = guard({ folder });
  const port = await freePort();
  const key = { name: "external-dns", algorithm: "hmac-sha256", secret: randomBytes(32).toString("base64") };
  writeFileSync(join(folder, "named.conf"), configuration({ folder, port, zone, key }), { mode: 0o600 });
  writeFileSync(join(folder, "zone.db"), zoneFile(zone));
  const server = { host: HOST, port, zone, key };
  const args = ["-g", "-c", join(folder, "named.conf")];
  const isReady = async () => (await dig(server, [zone, "SOA"])).includes("status: NOERROR");
  const daemon = new Daemon({ name: "named", binary: BINARY, args, folder, isReady });
  const stop = async () => {
    await daemon.stop("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
    release();
  };
  try {
    await daemon.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...server,
    dig: async (name, type) => answerIn(await dig(server, [name, type]), type),
    records: async () => recordsIn(await dig(server, [zone, "AXFR"])),
    update: (...lines) => update(server, lines),
    daemon,
    stop,
  };
}

type Server = Pick<Bind, "host" | "port" | "zone" | "key">;

function configuration({ folder, port, zone, key }: { folder: string } & Omit<Server, "host">): string {
  return `
key "${key.name}" { algorithm ${key.algorithm}; secret "${key.secret}"; };
controls { };
options {
  directory "${folder}";
  pid-file none;
  lock-file none;
  session-keyfile none;
  listen-on port ${port} { ${HOST}; };
  listen-on-v6 { none; };
  recursion no;
  dnssec-validation no;
  notify no;
  allow-transfer { key "${key.name}"; };
};
zone "${zone}" { type primary; file "zone.db"; allow-update { key "${key.name}"; }; };
`;
}

function zoneFile(zone: string): string {
  return `$TTL 1\n@ IN SOA ns.${zone}. admin.${zone}. 1 60 60 600 1\n@ IN NS ns.${zone}.\nns IN A ${HOST}\n`;
}

async function dig({ host, port, key }: Server, question: readonly string[]): Promise<string> {
  const signed = ["-y", `${key.algorithm}:${key.name}:${key.secret}`];
  const args = [`@${host}`, "-p", `${port}`, ...signed, ...question, "+noall", "+comments", "+answer", "+time=2"];
  // Its exit code says that no server answered, and its output does too.
  const { stdout } = await promisify(execFile)("dig", args).catch((error: { stdout: string }) => error);
  return stdout;
}

/** `name ttl IN type data`. */
const RECORD = /^(\S+)\s+\d+\s+IN\s+(\S+)\s+(.+)$/gm;

function answerIn(output: string, type: string): DigAnswer {
  const records = [...output.matchAll(RECORD)].filter((record) => record[2] === type);
  return {
    code: /status: ([A-Z]+)/.exec(output)?.[1] ?? "no answer",
    data: records.map((record) => record[3] ?? "").sort(),
  };
}

function recordsIn(output: string): string[] {
  const records = [...output.matchAll(RECORD)].filter(([, , type]) => !["SOA", "NS", "TSIG"].includes(type ?? ""));
  return records.map(([, name, type, data]) => `${name} ${type} ${data}`).sort();
}

async function update({ host, port, zone, key }: Server, lines: readonly string[]): Promise<void> {
  const child = spawn("nsupdate", ["-y", `${key.algorithm}:${key.name}:${key.secret}`], { stdio: "pipe" });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  child.stdin.end([`server ${host} ${port}`, `zone ${zone}`, ...lines, "send", ""].join("\n"));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`nsupdate ended with ${code}: ${said}`);
}
