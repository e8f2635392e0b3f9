import { Buffer } from "node:buffer";
import { parseCertificate } from "./verify/certificate.ts";

const BLOCK = /-----BEGIN ([^-\r\n]+)-----([^-]*)-----END \1-----/g;

/**
 * The certificates of a PEM text (RFC 7468), in DER; text between the blocks is passed over, as openssl writes it there. Errors
 * name the block and never its content, which may be a key by mistake.
 */
export function certificatesOfPem(text: string): { certificates: Uint8Array[] } | { fault: string } {
  const blocks = [...text.matchAll(BLOCK)];
  if (blocks.length === 0) return { fault: "must hold certificates in PEM, each from -----BEGIN CERTIFICATE----- on" };
  if (text.split("-----BEGIN").length !== blocks.length + 1 || text.split("-----END").length !== blocks.length + 1)
    return { fault: "has a block of PEM that is not whole: a BEGIN or END line is missing or misspelt" };
  const certificates: Uint8Array[] = [];
  for (const [place, [, label = "", base64 = ""]] of blocks.entries()) {
    const block = `block ${place + 1} of ${blocks.length}`;
    if (label !== "CERTIFICATE") return { fault: `${block} is a ${label.slice(0, 40)}, not a CERTIFICATE` };
    const der = decoded(base64);
    const read = der && parseCertificate(der);
    if (read === undefined) return { fault: `${block} is not base64` };
    if ("malformed" in read) return { fault: `${block} is not a certificate: ${read.malformed}` };
    certificates.push(read.der);
  }
  return { certificates };
}

function decoded(base64: string): Uint8Array | undefined {
  const text = base64.replaceAll(/\s/g, "");
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0 ? Buffer.from(text, "base64") : undefined;
}
