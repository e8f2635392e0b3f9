import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEdge } from "../../../local/parts.ts";
import { HOST } from "../../../local/plan.ts";
import { signatureHeaders } from "../../../shared/signature.ts";
import { encodeSnapshot } from "../../../shared/snapshot.ts";
import { freePort } from "../../support/free-port.ts";
import type { Canaries } from "./leaks.ts";

/** An edge of its own process, with what it has logged. */
export interface LoneEdge {
  url: string;
  log(): string;
  stop(): Promise<void>;
}

export async function startLoneEdge(settings: Record<string, string>): Promise<LoneEdge> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-edge-"));
  const port = await freePort();
  const logFile = join(folder, "edge.log");
  const child = await startEdge(
    { port, state: join(folder, "edge"), settings },
    { logFile, onGroup: () => {}, onWarning: (message) => console.error(message) },
  );
  return {
    url: `http://${HOST}:${port}`,
    log: () => readFileSync(logFile, "utf8"),
    async stop() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A server that fails all but probes, and says in its answer everything that it was asked with. */
export async function startTellTale() {
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const told = `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`;
    seen.push(told);
    const isProbe = request.headers["user-agent"]?.startsWith("Vedette/") === true && request.url === "/healthz";
    response.writeHead(isProbe ? 200 : 500, { "content-type": "text/plain", "x-told": request.url }).end(told);
  });
  server.listen(0, HOST);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { port, seen, stop };
}

export type Tokens = { admin: string; view: string };

/** Settings with a canary in each secret. */
export function secretSettings(canaries: Canaries, { admin, view }: Tokens, hooksPort: number): Record<string, string> {
  const hooks = (name: string) =>
    `http://${HOST}:${hooksPort}/${canaries.make(name)}?key=${canaries.make(`${name}Query`)}`;
  const key = (name: string) => Buffer.from(canaries.make(name, 32)).toString("base64");
  const soon = { minDuration: "0s", groupWindow: "0s" };
  return {
    ADMIN_TOKEN: admin,
    VIEW_TOKEN: view,
    HEADER_KEY: key("headerKey"),
    HEADER_KEY_PREVIOUS: key("headerKeyBefore"),
    HEADER_KEY_PREVIOUS_ID: "0",
    NOTIFICATIONS: JSON.stringify([
      { name: "one", kind: "generic", url: hooks("generic"), secret: `whsec_${key("genericSecret")}`, ...soon },
      { name: "two", kind: "slack", url: hooks("slack"), ...soon },
      { name: "three", kind: "pagerduty", url: hooks("pagerduty"), routingKey: canaries.make("routingKey"), ...soon },
    ]),
    PUBLIC_VIEW: "overview",
    ALLOW_PRIVATE_ADDRESSES: "true",
    CANARIES: "",
    COLO_URL: "",
  };
}

export type SecretCluster = { cluster: string; secret: string; webhookUrl: string };

/** Registers a cluster whose webhook has secrets in its path and query. */
export async function registerSecretly(
  edge: LoneEdge,
  admin: string,
  cluster: string,
  webhookUrl: string,
): Promise<SecretCluster> {
  const body = JSON.stringify({ cluster, hosts: ["*.example.test"], webhookUrl });
  const headers = { authorization: `Bearer ${admin}` };
  const response = await fetch(`${edge.url}/v1/clusters`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(`not registered: ${await response.text()}`);
  const { secret } = (await response.json()) as { secret: string };
  return { cluster, secret, webhookUrl };
}

/** Pushes one record with secret headers: one of its leaves answers on this port, the other refuses. Gives the receipt. */
export async function pushSecretly(
  edge: LoneEdge,
  by: SecretCluster,
  headers: Record<string, string>,
  port: number,
): Promise<string> {
  const endpoint = { dnsName: "api.example.test", recordType: "A" as const, targets: [HOST, "127.0.0.2"] };
  const healthCheck = {
    protocol: "HTTP" as const,
    port,
    path: "/healthz",
    interval: "1s",
    timeout: "1s",
    failureThreshold: 0,
    successThreshold: 1,
    regions: ["weur" as const],
    additionalHeadersRef: { name: "probe-headers" },
    allowHeadersInCleartext: true,
  };
  const spec = { rootHost: "api.example.test", endpoints: [endpoint], healthCheck };
  const record = { namespace: "shop", name: "api", spec, published: [], headers };
  const body = encodeSnapshot({ clusterUid: `uid-${by.cluster}`, instance: "one", allowShrink: true }, [record]);
  const path = `/v1/clusters/${by.cluster}/snapshot`;
  const tag = await fetch(`${edge.url}${path}`, { method: "PUT", headers: signed(by.secret, body), body });
  if (tag.status !== 428) return await tag.text();
  const retried = { ...signed(by.secret, body), "if-match": tag.headers.get("etag") ?? "" };
  return await (await fetch(`${edge.url}${path}`, { method: "PUT", headers: retried, body })).text();
}

export function signed(secret: string, text: string): Record<string, string> {
  return signatureHeaders(secret, `try_${Math.random().toString(36).slice(2)}`, text, Date.now());
}
