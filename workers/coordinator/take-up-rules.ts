import { hash32 } from "../../shared/hash.ts";
import { readMeta, writeMeta } from "./store/meta.ts";
import type { Rules, World } from "./world.ts";

/** Another one where an assignment holds something else for the same records than it did with an earlier release. */
const FORM = 1;

/**
 * Assigns all shards again after the settings that assignments follow from were changed, or a release that makes them
 * otherwise was installed: what is read from storage follows from those of now, and what the probers hold from those of then.
 */
export function takeUpRules(world: World): void {
  const { sql } = world.store;
  const now = hashOf(world.rules);
  if (readMeta(sql, "assignedBy") === now) return;
  for (const shard of world.shards.values()) world.changedShards.add(shard);
  writeMeta(sql, "assignedBy", now);
}

/** In a storage that is new nothing was assigned yet. */
export function noteRules(sql: SqlStorage, rules: Rules): void {
  writeMeta(sql, "assignedBy", hashOf(rules));
}

const hashOf = ({ allowPrivate, allowedPorts, maxRequestsPerAddress }: Rules) =>
  hash32(JSON.stringify([FORM, allowPrivate, allowedPorts, maxRequestsPerAddress]));
