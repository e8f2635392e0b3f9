import { Buffer } from "node:buffer";
import { MOZILLA_ROOTS } from "./mozilla-roots.generated.ts";
import { subjectKey } from "./subject-key.ts";
import { type Certificate, parseCertificate, sameOctets } from "./verify/certificate.ts";

/** The trust anchors, found by their subject (in DER). */
export interface RootStore {
  find(subject: Uint8Array): readonly Certificate[];
}

/** Of Mozilla's roots those that were asked for, by the key of their subject; shared by all of an isolate. */
const read = new Map<string, readonly Certificate[]>();

/** Mozilla's roots, of which only those are read that are asked for, and `extra` ones (DER) beside them. */
export function rootStore(extra: readonly Uint8Array[] = []): RootStore {
  const own = readAll(extra);
  return {
    find: (subject) => [...own, ...mozillaRoots(subject)].filter((one) => sameOctets(one.subject, subject)),
  };
}

function mozillaRoots(subject: Uint8Array): readonly Certificate[] {
  const key = subjectKey(subject);
  const known = read.get(key);
  if (known !== undefined) return known;
  const encoded = MOZILLA_ROOTS[key];
  if (encoded === undefined) return [];
  const roots = readAll(encoded.map((text) => Buffer.from(text, "base64")));
  read.set(key, roots);
  return roots;
}

/** What is no certificate was refused where it came from: in the settings, and when the module was made. */
function readAll(ders: readonly Uint8Array[]): Certificate[] {
  return ders.map(parseCertificate).flatMap((one) => ("malformed" in one ? [] : [one]));
}
