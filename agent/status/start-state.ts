import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { dirname, extname, join, resolve } from "node:path";
import { NO_NUMBER } from "../../shared/number.ts";
import type { Log } from "../runtime/log.ts";
import { SettingsError } from "../runtime/settings.ts";
import type { Settings } from "../runtime/settings-schema.ts";
import type { State } from "./state.ts";
import { type Loaded, loadState, saveState } from "./state-file.ts";

/** Where the state file is: as set, else in the folder of the manifests, or beside the one file of manifests. */
export async function statePath(settings: Pick<Settings, "state" | "records">): Promise<string> {
  if (settings.state !== undefined) return resolve(settings.state);
  const path = resolve(settings.records?.[0] ?? ".");
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => extname(path) === "",
  );
  return isFolder
    ? join(path, "vedette.state.json")
    : join(dirname(path), `${path.slice(dirname(path).length + 1)}.state.json`);
}

/**
 * The state to start from, stored again so that a file that cannot be written is found out now. A corrupt file is set
 * aside. The agent then knows nothing of what it published. It answers SERVFAIL instead of NXDOMAIN, and reads from the
 * edge.
 */
export async function startState(path: string, settings: Settings, log: Log, nowMs: number): Promise<State> {
  try {
    const loaded = await loadState(path, nowMs);
    if (loaded.kind === "Broken")
      log("warn", `${path} is broken (${loaded.why}). It was set aside as ${loaded.setAside}`);
    const state = stateFrom(loaded, settings);
    await saveState(path, state);
    return state;
  } catch (error) {
    const { message } = error as Error;
    throw new SettingsError(`The state file ${path} cannot be used: ${message}. Choose a writable place with --state.`);
  }
}

function stateFrom(loaded: Loaded, settings: Settings): State {
  const edge = { url: settings.edgeUrl, cluster: settings.cluster };
  const known =
    loaded.kind === "State" ? loaded.state.clusterUid : loaded.kind === "Broken" ? loaded.clusterUid : undefined;
  const clusterUid = settings.clusterUid ?? known ?? randomUUID();
  if (loaded.kind !== "State") return fresh(clusterUid, edge);
  const { state } = loaded;
  const isSameEdge = state.edge.url === edge.url && state.edge.cluster === edge.cluster;
  return isSameEdge ? { ...state, clusterUid } : atAnotherEdge({ ...state, clusterUid, edge });
}

function fresh(clusterUid: string, edge: State["edge"]): State {
  return {
    clusterUid,
    version: 1,
    edge,
    number: NO_NUMBER,
    sentAt: 0,
    silent: false,
    serial: 1,
    records: {},
    hosts: {},
    problems: [],
  };
}

/** The DNS content stays. Another edge's decisions and numbers mean nothing here. */
function atAnotherEdge(state: State): State {
  const hosts = Object.entries(state.hosts).map(([rootHost, { served }]) => [rootHost, { ...(served && { served }) }]);
  const records = Object.entries(state.records).map(([key, { status, manifest }]) => [key, { status, manifest }]);
  return {
    ...state,
    number: NO_NUMBER,
    sentAt: 0,
    hosts: Object.fromEntries(hosts),
    records: Object.fromEntries(records),
  };
}
