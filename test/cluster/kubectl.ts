import { spawn } from "node:child_process";
import { once } from "node:events";
import { clusterBinaries } from "./support/binaries.ts";

/** The kubectl of the tests, built where it is not there yet: `npm run kubectl -- kustomize deploy`. */
const { kubectl } = await clusterBinaries();
const child = spawn(kubectl, process.argv.slice(2), { stdio: "inherit" });
const [code] = await once(child, "exit");
process.exitCode = code ?? 1;
