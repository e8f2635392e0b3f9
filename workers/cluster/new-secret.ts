import { formatSecret, SECRET_BYTES } from "../../shared/signature.ts";

/** Makes a new random webhook secret. */
export const newSecret = (): string => formatSecret(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
