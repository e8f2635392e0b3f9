import type { Env } from "../../env.ts";
import { readSettings } from "../../settings.ts";
import { rootStore } from "../tls/roots.ts";
import type { Verify } from "../tls/verify/verifier.ts";
import { makeVerifier } from "../tls/verify/verifier.ts";

/** One for each environment: the roots of the settings are read once, at the first certificate. */
const verifiers = new WeakMap<Env, Verify>();

/** Verifies certificates against Mozilla's roots and those of the settings. */
export function certificateVerifierOf(env: Env): Verify {
  return (...given) => {
    const verify = verifiers.get(env) ?? makeVerifier(rootStore(readSettings(env).EXTRA_ROOTS));
    verifiers.set(env, verify);
    return verify(...given);
  };
}
