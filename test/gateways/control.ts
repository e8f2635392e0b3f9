import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { good, redirect } from "./answers.ts";
import { type Behaviour, type Gateway, serve } from "./gateway.ts";
import { type Switched, switched } from "./switched.ts";

interface Control {
  port: number;
  close: () => Promise<void>;
}

/**
 * Starts gateways for single tests, so that what one has seen is not mixed with the requests of another test:
 *
 * - `POST /<behaviour>` starts one and answers its port.
 * - `POST /redirect/<port>` starts one that redirects to that port.
 * - `POST /switched` starts one on 127.0.0.1 whose status is set, and on 127.0.0.2 one that always answers well.
 * - `GET /<port>` answers what it has seen, as JSON: `Seen` and, of one whose status is set, `Switched`.
 * - `PUT /<port>/<status>` sets the status and forgets what was asked.
 */
export async function serveControl(behaviours: Readonly<Record<string, Behaviour>>): Promise<Control> {
  const gateways = new Map<number, Gateway & { switched?: Switched }>();
  const others: Gateway[] = [];
  const start = async (name: string, target = ""): Promise<number> => {
    const state: Switched = { status: 200, asked: {} };
    const more = { switched: switched(state), redirect: redirect(`http://127.0.0.1:${target}/`) };
    const behaviour = { ...behaviours, ...more }[name];
    if (behaviour === undefined) throw new Error(`there is no behaviour ${name}`);
    const gateway = await serve(behaviour);
    if (name === "switched") others.push(await serve(good, "127.0.0.2", gateway.port));
    gateways.set(gateway.port, { ...gateway, ...(name === "switched" && { switched: state }) });
    return gateway.port;
  };
  const answer = async ({ method, url = "" }: IncomingMessage): Promise<unknown> => {
    const [, what = "", more] = url.split("/");
    if (method === "POST") return await start(what, more);
    const gateway = gateways.get(Number(what));
    if (gateway === undefined) throw new Error(`no test has started a gateway on port ${what}`);
    if (method === "PUT" && gateway.switched) Object.assign(gateway.switched, { status: Number(more), asked: {} });
    return { ...gateway.seen, ...gateway.switched };
  };
  const server = createServer((request, response) => {
    answer(request).then(
      (body) => response.end(JSON.stringify(body)),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await Promise.all([...gateways.values(), ...others].map((gateway) => gateway.close()));
  };
  return { port: (server.address() as AddressInfo).port, close };
}
