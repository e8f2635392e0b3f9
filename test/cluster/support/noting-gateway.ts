import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";

/** A gateway that answers every request with a status, and notes what it was asked. */
export class NotingGateway implements AsyncDisposable {
  readonly address: string;
  status = 200;
  /** The headers of each request, in order. */
  readonly asked: IncomingHttpHeaders[] = [];
  readonly #server: Server;

  private constructor(address: string) {
    this.address = address;
    this.#server = createServer(({ headers }, response) => {
      this.asked.push(headers);
      response.writeHead(this.status, { connection: "close" });
      response.end("noted\n");
    });
  }

  static async start(address: string, port: number): Promise<NotingGateway> {
    const gateway = new NotingGateway(address);
    gateway.#server.listen({ host: address, port });
    await once(gateway.#server, "listening");
    return gateway;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}
