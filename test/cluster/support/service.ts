import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A port in front of several others, as a Service is: each connection goes to the next one that takes it. */
export class Service implements AsyncDisposable {
  /** Ports that connections go to. */
  backends: readonly number[] = [];
  readonly #server = createServer({ allowHalfOpen: true }, (socket) => void this.#serve(socket));
  readonly #open = new Set<Socket>();
  #next = 0;

  async start(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(client: Socket): Promise<void> {
    this.#keep(client);
    for (const _ of this.backends) {
      this.#next += 1;
      const backend = connect(this.backends[this.#next % this.backends.length] ?? 0, "127.0.0.1");
      this.#keep(backend);
      const isOpen = await once(backend, "connect").then(
        () => true,
        () => false,
      );
      if (!isOpen) continue;
      client.pipe(backend).pipe(client);
      client.on("close", () => backend.destroy());
      backend.on("close", () => client.destroy());
      return;
    }
    client.destroy();
  }

  #keep(socket: Socket): void {
    this.#open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#open.delete(socket));
  }
}
