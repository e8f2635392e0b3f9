import { clusterBinaries, externalDnsBinary } from "./support/binaries.ts";

/** Builds what the tests on a real API server run, where no earlier run did; they do it themselves otherwise. */
await clusterBinaries();
await externalDnsBinary();
