import { z } from "zod";
import { messageNumber } from "../../shared/model/number.ts";
import type { DeliveredProbe } from "./delivered.ts";
import { deliveredProbe } from "./delivered.ts";

/** What the edge sees just now of the probes, only to be shown. */
export interface View {
  cluster: string;
  /** Of the newest delivery when the edge was asked. */
  number: z.output<typeof messageNumber>;
  probes: DeliveredProbe[];
}

const view = z.object({
  version: z.literal(1),
  cluster: z.string(),
  number: messageNumber,
  records: z.array(z.unknown()),
});
const withProbes = z.object({ probes: z.array(z.unknown()) });

/** Reads a view; what of it cannot be read is left out. Undefined where it is none. */
export function readView(json: unknown): View | undefined {
  const { data } = view.safeParse(json);
  if (data === undefined) return undefined;
  const given = data.records.flatMap((record) => withProbes.safeParse(record).data?.probes ?? []);
  const probes = given.flatMap((probe) => deliveredProbe.safeParse(probe).data ?? []);
  return { cluster: data.cluster, number: data.number, probes };
}
