import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";

export class Cluster extends DurableObject<Env> {}
