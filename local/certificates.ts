import { isIP } from "node:net";
import { generate } from "selfsigned";

/** A certificate and its private key, in PEM. */
export interface Identity {
  certificate: string;
  key: string;
}

const HOUR_MS = 3_600_000;

/** A certificate authority for a local stack: P-256, valid for `days` from an hour before `nowMs`. */
export function makeAuthority(name: string, nowMs: number, days = 365): Promise<Identity> {
  return make(name, {
    ...validity(nowMs, days),
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
}

/** A certificate for a server of these names, host names or IP addresses, issued by `authority`. */
export function makeServerIdentity(
  authority: Identity,
  names: readonly string[],
  nowMs: number,
  days = 90,
): Promise<Identity> {
  return make(names[0] ?? "", {
    ...validity(nowMs, days),
    ca: { cert: authority.certificate, key: authority.key },
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      { name: "subjectAltName", altNames: names.map((name) => ({ type: isIP(name) === 0 ? 2 : 7, value: name })) },
    ],
  });
}

async function make(commonName: string, options: Parameters<typeof generate>[1]): Promise<Identity> {
  const subject = [{ name: "commonName", value: commonName }];
  const made = await generate(subject, { keyType: "ec", curve: "P-256", algorithm: "sha256", ...options });
  return { certificate: made.cert, key: made.private };
}

const validity = (nowMs: number, days: number) => ({
  notBeforeDate: new Date(nowMs - HOUR_MS),
  notAfterDate: new Date(nowMs + days * 24 * HOUR_MS),
});
