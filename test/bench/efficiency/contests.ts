import { KEYS, type KeyKind } from "../certificates.ts";
import type { Probers } from "../probes.ts";
import type { Contender } from "../rounds.ts";
import type { Ports } from "../server.ts";
import type { Blackbox } from "./blackbox.ts";

/** Contenders that ask the same server; the others are compared with the first. */
export interface Contest {
  title: string;
  contenders: Contender[];
}

/** Ours beside blackbox_exporter, over HTTP and over HTTPS with each kind of key; ours alone where that is not here. */
export function contests(blackbox: Blackbox | undefined, probers: Probers, ports: Ports): Contest[] {
  const title = (protocol: string) => `probe over ${protocol}`;
  const theirs = (protocol: "HTTP" | "HTTPS", port: number) => blackbox?.contender(protocol, port) ?? [];
  const ours = (kind: KeyKind) => probers.contenders(ports.http, ports.https[kind]);
  const [http] = ours("RSA");
  return [
    { title: title("HTTP"), contenders: [theirs("HTTP", ports.http), named(http, "Vedette")].flat() },
    ...KEYS.map((kind) => {
      const [, seen, unseen] = ours(kind);
      return {
        title: title(`HTTPS, ${kind}`),
        contenders: [
          theirs("HTTPS", ports.https[kind].same),
          named(seen, "Vedette, certificates seen before"),
          named(unseen, "Vedette, never seen"),
        ].flat(),
      };
    }),
  ];
}

const named = (contender: Contender, name: string): Contender => ({ ...contender, name });
