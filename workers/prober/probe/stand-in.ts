import type { TlsFault } from "../tls/fault.ts";

export class TlsClient {
  state: "handshaking" | "open" | "closed" | "failed" = "handshaking";
  fault: TlsFault | undefined;
  info: { version: string; cipherSuite: string } | undefined;
  constructor(readonlyOptions: object) {
    void readonlyOptions;
  }
  start(): Uint8Array {
    return Uint8Array.of(22, 3, 1, 0, 1, 0);
  }
  receive(_: Uint8Array): { send: Uint8Array; data: Uint8Array[] } {
    this.state = "failed";
    this.fault = { reason: "TLSProtocolError", message: "Stand-in." };
    return { send: new Uint8Array(), data: [] };
  }
  encrypt(data: Uint8Array): Uint8Array {
    return data;
  }
  close(): Uint8Array {
    return new Uint8Array();
  }
}
