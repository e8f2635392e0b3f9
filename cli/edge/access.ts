import { readFileSync } from "node:fs";
import { CliError, EXIT } from "../exit-code.ts";

/** The URL of the edge and the token. */
export interface Access {
  url: URL;
  token?: string;
}

/**
 * Reads the access from options and environment. A token comes from the environment or a file, because every user of
 * the machine can read a command line. It is never sent without TLS, except to this machine.
 */
export function accessOf(edge: string, tokenFile: string | undefined, env: NodeJS.ProcessEnv): Access {
  const url = edgeUrl(edge);
  const token = tokenFile === undefined ? env.VEDETTE_TOKEN?.trim() : fromFile(tokenFile);
  if (!token) return { url };
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usage(
      "The token holds blanks or characters that no token has.",
      "Look at VEDETTE_TOKEN, or at the file of --token-file.",
    );
  }
  if (url.protocol === "https:" || isThisMachine(url.hostname)) return { url, token };
  throw usage(`The token would go to ${url.origin} in clear.`, "Give an https:// URL with --edge or VEDETTE_EDGE.");
}

function edgeUrl(text: string): URL {
  const url = URL.parse(text);
  const next = "Give a URL such as https://vedette.example.workers.dev with --edge or VEDETTE_EDGE.";
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usage(`The edge's URL ${JSON.stringify(text)} is no http(s) URL.`, next);
  if (url.username !== "" || url.password !== "") throw usage("The edge's URL holds a user name or a password.", next);
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw usage(`The edge's URL ${JSON.stringify(text)} has more than a host and a port.`, next);
  }
  return url;
}

export const isThisMachine = (host: string) =>
  host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);

function fromFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(file === "-" ? 0 : file, "utf8").trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw usage(
      `The token's file ${file} cannot be read (${code}).`,
      "Name a file that you may read with --token-file.",
    );
  }
  if (text === "") throw usage(`The token's file ${file} is empty.`, "Write the token into it.");
  return text;
}

const usage = (message: string, next: string) => new CliError(EXIT.Usage, message, next);
