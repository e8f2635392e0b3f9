export { Cluster } from "./cluster/cluster.ts";
export { Coordinator } from "./coordinator/coordinator.ts";
export { Prober } from "./prober/prober.ts";
export { SuspectDialler } from "./prober/suspect-dialler.ts";

export default {};
