import { readFileSync } from "node:fs";
import { certificatesOfPem } from "../workers/prober/tls/pem.ts";
import { Refusal } from "./plan.ts";

/** The certificates in a file, as PEM for the setting EXTRA_ROOTS. Throws a Refusal for what is no such file. */
export function readExtraRoots(file: string): string {
  const text = read(file);
  const found = certificatesOfPem(text);
  if ("fault" in found) throw new Refusal(`--extra-roots: ${file} ${found.fault}`);
  return text;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Refusal(`--extra-roots: ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
