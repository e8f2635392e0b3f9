import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeAuthority } from "./certificates.ts";
import { readExtraRoots } from "./options.ts";

const folder = mkdtempSync(join(tmpdir(), "vedette-roots-"));
const file = join(folder, "roots.pem");

test("a file of certificates is taken as it is; what is none is refused by name, its content untold", async ({
  onTestFinished,
}) => {
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { certificate, key } = await makeAuthority("one", Date.now());
  writeFileSync(file, certificate);
  expect(readExtraRoots(file)).toBe(certificate);
  writeFileSync(file, certificate + key);
  expect(() => readExtraRoots(file)).toThrow(`--extra-roots: ${file} block 2 of 2 is a PRIVATE KEY, not a CERTIFICATE`);
  writeFileSync(file, "nothing of the kind");
  expect(() => readExtraRoots(file)).toThrow(`${file} must hold certificates in PEM`);
  expect(() => readExtraRoots(join(folder, "absent"))).toThrow("absent cannot be read: ENOENT");
});
