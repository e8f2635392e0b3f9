import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:tls";
import { describe, expect, it } from "vitest";
import { certificatesOfPem } from "../workers/prober/tls/pem.ts";
import { rootStore } from "../workers/prober/tls/roots.ts";
import { makeVerifier } from "../workers/prober/tls/verify/verifier.ts";
import { makeAuthority, makeServerIdentity } from "./certificates.ts";

const NOW = Date.now();
const authority = await makeAuthority("Vedette's local stack", NOW);
const server = await makeServerIdentity(authority, ["shop.example.test", "127.0.0.11", "2001:db8::1"], NOW);

function der(pem: string): Uint8Array[] {
  const read = certificatesOfPem(pem);
  if ("fault" in read) throw new Error(read.fault);
  return read.certificates;
}

describe("the local stack's certificates", () => {
  it("are what Vedette takes, for each of the names, and trusts only by that authority", () => {
    const verify = makeVerifier(rootStore(der(authority.certificate)));
    for (const host of ["shop.example.test", "127.0.0.11", "2001:db8::1"])
      expect(verify(der(server.certificate), host, NOW).fault).toBeUndefined();
    expect(verify(der(server.certificate), "127.0.0.12", NOW).fault?.reason).toBe("CertificateNameMismatch");
    expect(makeVerifier(rootStore())(der(server.certificate), "127.0.0.11", NOW).fault?.reason).toBe(
      "CertificateUntrusted",
    );
  });

  it("are what Node takes in a handshake", async () => {
    const listening = createServer({ cert: server.certificate, key: server.key }).listen(0, "127.0.0.1");
    await once(listening, "listening");
    const { port } = listening.address() as { port: number };
    const socket = connect({ port, host: "127.0.0.1", servername: "shop.example.test", ca: authority.certificate });
    await once(socket, "secureConnect");
    expect(socket.authorized).toBe(true);
    socket.destroy();
    listening.close();
  });

  it("have serial numbers of their own", async () => {
    const other = await makeServerIdentity(authority, ["shop.example.test"], NOW);
    const serial = ({ certificate }: { certificate: string }) => new X509Certificate(certificate).serialNumber;
    expect(new Set([authority, server, other].map(serial)).size).toBe(3);
  });
});
