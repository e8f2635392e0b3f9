import { certificatesOfPem } from "../../workers/prober/tls/pem.ts";

/** @throws where it is no PEM of certificates */
export function derOf(pem: string): Uint8Array[] {
  const read = certificatesOfPem(pem);
  if ("fault" in read) throw new Error(read.fault);
  return read.certificates;
}
