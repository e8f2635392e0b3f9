import { clustersTable } from "./clusters.ts";
import { probesTable } from "./probes.ts";
import { recordsTable } from "./records.ts";
import { regionsTable } from "./regions.ts";
import { seenTable } from "./seen.ts";
import { shardsTable } from "./shards.ts";
import { sharesTable } from "./shares.ts";
import { wordsTable } from "./words.ts";

/** Everything that survives the object's memory. */
export type Store = ReturnType<typeof storeOf>;

export function storeOf(sql: SqlStorage) {
  return {
    sql,
    clusters: clustersTable(sql),
    shares: sharesTable(sql),
    probes: probesTable(sql),
    words: wordsTable(sql),
    shards: shardsTable(sql),
    seen: seenTable(sql),
    records: recordsTable(sql),
    regions: regionsTable(sql),
  };
}
