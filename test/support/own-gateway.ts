import { inject } from "vitest";
import type { BehaviourName } from "../gateways/fleet.ts";
import type { Seen } from "../gateways/gateway.ts";
import type { Switched } from "../gateways/switched.ts";

interface OwnGateway<State = Seen> {
  port: number;
  /** What this gateway has seen; nobody but the test dials it. */
  seen: () => Promise<State>;
}

/** Starts a gateway that no other test dials. It is closed with the fleet. */
export function startOwnGateway(name: BehaviourName): Promise<OwnGateway> {
  return start<Seen>(name);
}

/** Starts a gateway that redirects to this port. */
export function startRedirect(port: number): Promise<OwnGateway> {
  return start<Seen>(`redirect/${port}`);
}

/** Starts a gateway on 127.0.0.1 whose status the test sets; 127.0.0.2 always answers well on the same port. */
export async function startSwitchedGateway(): Promise<
  OwnGateway<Seen & Switched> & { answerWith: (status: number) => Promise<void> }
> {
  const gateway = await start<Seen & Switched>("switched");
  const answerWith = async (status: number) => {
    await call("PUT", `${gateway.port}/${status}`);
  };
  return { ...gateway, answerWith };
}

async function start<State>(name: string): Promise<OwnGateway<State>> {
  const port = await call<number>("POST", name);
  return { port, seen: () => call<State>("GET", `${port}`) };
}

async function call<Answer>(method: string, path: string): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${inject("gateways").control}/${path}`, { method });
  if (!response.ok) throw new Error(await response.text());
  return response.json<Answer>();
}
