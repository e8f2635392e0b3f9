import type { RecordProber } from "../rpc.ts";
import type { Root, World } from "./world.ts";

/**
 * The probers that have word of the record's probes. One that never acknowledged an assignment may not exist: whoever asked
 * it would settle where it lives.
 */
export function probersOf({ partition }: World, root: Root): RecordProber[] {
  const byShard = Map.groupBy(root.probes.values(), ({ shard }) => shard);
  return [...byShard].flatMap(([{ intervalMs, n, regions, acknowledged }, states]) => {
    const probes = states.map(({ desired: { id, leaf } }) => ({ id, leaf })).sort((a, b) => (a.id < b.id ? -1 : 1));
    const reached = regions.filter((region) => acknowledged.has(region));
    return reached.map((region) => ({ shard: { region, partition, intervalMs, n }, probes }));
  });
}
