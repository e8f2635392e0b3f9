import { formatSecret, SECRET_BYTES } from "../../shared/signature.ts";

/** A webhook secret that nobody has seen yet. */
export const newSecret = (): string => formatSecret(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
