import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import { type Answer, askDns } from "../../../local/dns-watch.ts";

type Server = { host: string; port: number };

const HAS_DIG = (() => {
  try {
    execFileSync("dig", ["-v"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** Asks with dig, over UDP or TCP; with a client of our own where dig is not installed, which is said. */
export async function dig(server: Server, name: string, transport: "UDP" | "TCP" = "UDP"): Promise<Answer> {
  if (!HAS_DIG) {
    console.log("dig is not installed: asking with dns-packet over UDP instead");
    return await askDns(server, { name, type: "A" });
  }
  const args = [`@${server.host}`, "-p", `${server.port}`, name, "A", "+tries=2", "+time=5"];
  const run = promisify(execFile)("dig", transport === "TCP" ? [...args, "+tcp"] : args);
  // Its exit code says that no server answered, and its output does too.
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  const code = /status: ([A-Z]+)/.exec(stdout)?.[1] ?? "no answer";
  const targets = [...stdout.matchAll(/^\S+\s+\d+\s+IN\s+A\s+(\S+)$/gm)].map((match) => match[1] ?? "");
  return { code, targets: targets.sort() };
}

/** Watches a name all along and keeps every distinct answer in order, so that a short-lived one is not missed. */
export class DnsRecorder {
  readonly seen: string[] = [];
  readonly #server: Server;
  readonly #name: string;
  readonly #ended: Promise<void>;
  #running = true;

  constructor(server: Server, name: string) {
    this.#server = server;
    this.#name = name;
    this.#ended = this.#run();
  }

  async #run(): Promise<void> {
    while (this.#running) {
      const text = await askDns(this.#server, { name: this.#name, type: "A" }).then(textOf, () => "no answer");
      if (this.seen.at(-1) !== text) this.seen.push(text);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** The distinct answers from here on. */
  get mark(): number {
    return this.seen.length;
  }

  /** Every distinct answer since the mark, and the one that stood then. */
  since(mark: number): string[] {
    return this.seen.slice(Math.max(0, mark - 1));
  }

  get last(): string {
    return this.seen.at(-1) ?? "nothing yet";
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#ended;
  }
}

/** `NXDOMAIN`, or the sorted addresses with spaces between. */
export function textOf({ code, targets }: Answer): string {
  return code === "NOERROR" && targets.length > 0 ? targets.join(" ") : code;
}
