import * as answers from "./answers.ts";
import { blackHole } from "./black-hole.ts";
import { serveControl } from "./control.ts";
import * as faults from "./faults.ts";
import type { Behaviour, Gateway } from "./gateway.ts";
import { afterRequest, serve } from "./gateway.ts";
import type { Zone } from "./resolver.ts";
import { serveResolver } from "./resolver.ts";
import * as tlsFaults from "./tls-faults.ts";

const { says, saysAndCloses, redirect, byRegion, byHost, ...plain } = answers;

/** One gateway for each fault and each plain answer, and some that need a word more. */
export const BEHAVIOURS = {
  ...faults,
  ...tlsFaults,
  ...plain,
  redirectsElsewhere: redirect("http://other.test/"),
  cacheable: says("HTTP/1.1 200 OK\r\nCache-Control: public, max-age=3600\r\nAge: 0\r\nContent-Length: 2\r\n\r\nok"),
  answersLate: afterRequest((socket) => {
    const timer = setTimeout(() => socket.write("HTTP/1.1 204 No Content\r\n\r\n"), 700);
    socket.on("close", () => clearTimeout(timer));
  }),
  failsInWeur: byRegion({ weur: 503 }),
  unavailable: says("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"),
  lateBody: saysAndCloses(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(70_000)}needle`),
  trace: says("HTTP/1.1 200 OK\r\nContent-Length: 24\r\n\r\nfl=1\nip=::1\ncolo=FRA\nx=\n"),
  forShop: byHost("shop.test"),
} satisfies Record<string, Behaviour>;

export type BehaviourName = keyof typeof BEHAVIOURS;

const ZONE: Zone = {
  "one.test": [{ type: "A", name: "one.test", ttl: 30, data: "127.0.0.1" }],
  "two.test": [
    { type: "A", name: "two.test", ttl: 30, data: "127.0.0.1" },
    { type: "A", name: "two.test", ttl: 30, data: "127.0.0.9" },
  ],
  "alias.test": [
    { type: "CNAME", name: "alias.test", ttl: 30, data: "middle.test" },
    { type: "CNAME", name: "Middle.test", ttl: 30, data: "one.test" },
    { type: "A", name: "one.test", ttl: 30, data: "127.0.0.1" },
  ],
  "empty.test": [],
  "servfail.test": "SERVFAIL",
  "platform.test": "Platform",
  "silence.test": "Silence",
};

const BLACK_HOLES = 8;
/** Below the ports that are given out: one that was free a moment ago may be another run's by now. */
const CLOSED_PORT = 1;

/** Where each gateway of the fleet listens, on 127.0.0.1. */
export interface FleetPorts {
  named: Record<BehaviourName, number>;
  blackHoles: number[];
  /** Nothing listens here. */
  closed: number;
  resolver: number;
  /** Where tests start gateways of their own: see `serveControl`. */
  control: number;
}

export interface Fleet {
  ports: FleetPorts;
  close: () => Promise<void>;
}

export async function startFleet(): Promise<Fleet> {
  const gateways = new Map<string, Gateway>();
  for (const [name, behaviour] of Object.entries(BEHAVIOURS)) gateways.set(name, await serve(behaviour));
  const holes = await blackHole(BLACK_HOLES);
  const resolver = await serveResolver(ZONE);
  const control = await serveControl(BEHAVIOURS);
  const named = Object.fromEntries([...gateways].map(([name, { port }]) => [name, port])) as FleetPorts["named"];
  const ports = {
    named,
    blackHoles: holes.ports,
    closed: CLOSED_PORT,
    resolver: resolver.port,
    control: control.port,
  };
  const close = async () => {
    await Promise.all([...gateways.values()].map((gateway) => gateway.close()));
    await holes.close();
    await resolver.close();
    await control.close();
  };
  return { ports, close };
}
