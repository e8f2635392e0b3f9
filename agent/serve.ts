import type { Controller } from "./controller.ts";
import { makeWebhook } from "./edge/webhook.ts";
import { type DnsServer, startDnsServer } from "./publish/dns-server/server.ts";
import { listen, type RunningServer } from "./runtime/http-server.ts";
import type { Log } from "./runtime/log.ts";
import { SettingsError } from "./runtime/settings.ts";
import type { Settings } from "./runtime/settings-schema.ts";

/** Starts the DNS server; the error says what to do about a port that cannot be used. */
export function serveDns({ dnsAddress: address, dnsPort: port }: Settings, log: Log): Promise<DnsServer> {
  const onError = (message: string) => log("warn", message);
  return startDnsServer({ address, port, onError }).catch(cannotListen("DNS", address, port, "--dns"));
}

/** Starts listening for deliveries and health checks; errors as with {@link serveDns}. */
export function serveWeb(settings: Settings, core: Controller, now: () => number): Promise<RunningServer> {
  const { webhookAddress: address, webhookPort: port, pull, secret } = settings;
  const receiver = makeWebhook({
    secrets: pull ? undefined : secret,
    isReady: () => core.isReady,
    apply: (json) => core.takeDelivery(json),
    now,
  });
  return listen(receiver, address, port).catch(cannotListen("deliveries", address, port, "--webhook"));
}

/** For a port that cannot be used: says what to do about it. */
export function cannotListen(what: string, address: string, port: number, flag: string) {
  return (error: NodeJS.ErrnoException): never => {
    const why: Record<string, string> = {
      EADDRINUSE: `port ${port} is in use. Stop what runs there, or choose another with ${flag}-port`,
      EACCES: `port ${port} needs more privileges. Grant them (CAP_NET_BIND_SERVICE), or choose another with ${flag}-port`,
      EADDRNOTAVAIL: `this machine has no address ${address}. Choose another with ${flag}-address`,
    };
    throw new SettingsError(`Cannot listen for ${what} on ${address}: ${why[error.code ?? ""] ?? error.message}.`);
  };
}
