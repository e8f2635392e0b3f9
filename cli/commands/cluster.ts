import { type Command, Option } from "commander";
import { stringify } from "yaml";
import { z } from "zod";
import { type ClusterView, clusterView } from "../../shared/model/cluster.ts";
import { addExamples, listOf, type Run } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit-code.ts";
import { table } from "../output/table.ts";
import type { Session } from "../session.ts";

const PATH = "/v1/clusters";
const registered = z.object({ cluster: z.string(), secret: z.string() });
const clusterList = z.object({ clusters: z.array(clusterView) });

interface Place {
  namespace: string;
}

/** `vedette cluster …` */
export function addCluster(program: Command, run: Run): void {
  const cluster = program
    .command("cluster")
    .summary("register clusters at the edge, and give them their secrets")
    .description("Registers clusters at the edge, gives them new secrets, and forgets them. Needs the admin token.");
  addList(cluster, run);
  addAdd(cluster, run);
  addRotate(cluster, run);
  addRebind(cluster, run);
  addRemove(cluster, run);
}

function addList(cluster: Command, run: Run): void {
  const command = cluster
    .command("list")
    .summary("all clusters, and how their deliveries go")
    .description("Lists the clusters that are registered, and how their deliveries go.")
    .action((_options: object, own: Command) => run(own, list));
  addExamples(command, [["vedette cluster list", "who is registered, and who is not reached"]]);
}

const namespaceOption = () =>
  new Option("--namespace <namespace>", "of the agent, for the Secret").default("vedette-system");

function addAdd(cluster: Command, run: Run): void {
  const command = cluster
    .command("add")
    .summary("register a cluster; prints the Secret for its agent")
    .description(
      "Registers a cluster with the hosts that it may name. Prints the Kubernetes Secret with its webhook secret, which the edge shows this once, to standard output, and everything else to standard error.",
    )
    .argument("<name>", "the cluster's name: a label of lower-case letters, digits and hyphens")
    .addOption(
      new Option("--host <host>", "a host it may name, *.example.com for all under it; may be repeated")
        .argParser(listOf())
        .makeOptionMandatory(),
    )
    .option("--webhook-url <url>", "where the edge reaches the agent; leave it out for an agent that asks")
    .addOption(namespaceOption())
    .action((name: string, options: Place & { host: string[]; webhookUrl?: string }, own: Command) =>
      run(own, (session) => add(session, name, options)),
    );
  addExamples(command, [
    [
      "vedette cluster add shop-eu --host '*.shop.example.com' --webhook-url https://vedette.eu.example.com/v1/delivery | kubectl apply -f -",
      "register a cluster, and put the secret into it",
    ],
  ]);
}

function addRotate(cluster: Command, run: Run): void {
  const command = cluster
    .command("rotate")
    .summary("give a cluster a second secret; prints the Secret for its agent")
    .description(
      "Gives a cluster a new webhook secret, and prints the Kubernetes Secret with it to standard output. The one before stays valid until the next rotation, so that nothing is cut off until the agent has the new one.",
    )
    .argument("<name>", "the cluster's name")
    .addOption(namespaceOption())
    .action((name: string, options: Place, own: Command) => run(own, (session) => rotate(session, name, options)));
  addExamples(command, [
    ["vedette cluster rotate shop-eu | kubectl apply -f -", "then restart the agent, which reads it when it starts"],
  ]);
}

function addRebind(cluster: Command, run: Run): void {
  const command = cluster
    .command("rebind")
    .summary("let a cluster that was rebuilt take its name again")
    .description(
      "Lets the next snapshot bind another cluster to the name. The edge binds a name to the first cluster that uses it, by the uid of its kube-system namespace. It refuses other clusters that have its secret.",
    )
    .argument("<name>", "the cluster's name")
    .action((name: string, _options: object, own: Command) => run(own, (session) => rebind(session, name)));
  addExamples(command, [["vedette cluster rebind shop-eu", "after the cluster was made anew"]]);
}

function addRemove(cluster: Command, run: Run): void {
  const command = cluster
    .command("remove")
    .summary("forget a cluster, its records and its secrets")
    .description(
      "Forgets a cluster, its shares of records and its secrets. What it alone had published is watched by nobody from then on. Register it again, with another secret, to undo that.",
    )
    .argument("<name>", "the cluster's name")
    .option("--yes", "do it; without, only what would be forgotten is told")
    .action((name: string, options: { yes?: true }, own: Command) =>
      run(own, (session) => remove(session, name, options)),
    );
  addExamples(command, [["vedette cluster remove shop-eu --yes", "after the agent was uninstalled"]]);
}

const pathOf = (name: string) => `${PATH}/${encodeURIComponent(name)}`;

async function add(
  session: Session,
  name: string,
  { host: hosts, webhookUrl, namespace }: Place & { host: string[]; webhookUrl?: string },
): Promise<ExitCode> {
  const body = { cluster: name, hosts, ...(webhookUrl !== undefined && { webhookUrl }) };
  const { cluster, secret } = await session.edge.post(PATH, body, registered);
  printSecret(session, secret, namespace);
  const asks = webhookUrl === undefined ? " and VEDETTE_PULL=true, for the edge has no webhook URL of it" : "";
  session.terminal.tell(
    `Cluster ${cluster} is registered for ${hosts.join(", ")}. The secret above is shown this once: apply it in the cluster, whose agent is to have VEDETTE_CLUSTER=${cluster}${asks}.`,
  );
  return EXIT.Fine;
}

async function rotate(session: Session, name: string, { namespace }: Place): Promise<ExitCode> {
  const { cluster, secret } = await session.edge.post(`${pathOf(name)}/rotate`, {}, registered);
  printSecret(session, secret, namespace);
  session.terminal.tell(
    `Cluster ${cluster} has a new secret. The one before stays valid until the next rotation: apply the Secret, then kubectl -n ${namespace} rollout restart deployment vedette-agent`,
  );
  return EXIT.Fine;
}

async function rebind(session: Session, name: string): Promise<ExitCode> {
  await session.edge.change("POST", `${pathOf(name)}/rebind`);
  session.terminal.tell(`The next snapshot that is signed with the secret of ${name} binds its cluster to the name.`);
  return EXIT.Fine;
}

async function remove(session: Session, name: string, { yes }: { yes?: true }): Promise<ExitCode> {
  const { cluster, records, hosts } = await session.edge.get(pathOf(name), clusterView);
  const what = `cluster ${cluster} with ${records} ${records === 1 ? "record" : "records"} under ${hosts.join(", ")}`;
  if (!yes) throw new CliError(EXIT.Usage, `That would forget ${what}.`, "Add --yes to do it.");
  await session.edge.change("DELETE", pathOf(name));
  session.terminal.tell(`Forgotten: ${what}.`);
  return EXIT.Fine;
}

/** The Secret as the agent's Deployment mounts it: docs/kubernetes.md. */
function printSecret({ globals, terminal }: Session, secret: string, namespace: string): void {
  const manifest = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "vedette-webhook", namespace },
    type: "Opaque",
    stringData: { secret },
  };
  const isJson = globals.output === "json";
  terminal.print(isJson ? JSON.stringify(manifest, undefined, 2) : stringify(manifest, { lineWidth: 0 }).trimEnd());
}

async function list(session: Session): Promise<ExitCode> {
  const { clusters } = await session.edge.get(PATH, clusterList);
  session.show({ clusters }, () => clusterTable(clusters, session));
  return EXIT.Fine;
}

function clusterTable(clusters: readonly ClusterView[], session: Session): string {
  if (clusters.length === 0) return "No cluster is registered yet: vedette cluster add --help";
  const clock = session.clock();
  const time = (at: number | undefined) => (at === undefined ? "never" : clock(at));
  const rows = clusters.map((one) => [
    one.cluster,
    `${one.records}`,
    time(one.lastSnapshotAt),
    time(one.lastDeliveryAt),
    one.failures === 0
      ? "reached"
      : session.terminal.style("red", `not reached, ${one.failures} failed: ${one.lastFailure ?? "no answer"}`),
    one.hosts.join(", "),
  ]);
  return table(["CLUSTER", "RECORDS", "LAST SNAPSHOT", "LAST DELIVERY", "DELIVERIES", "HOSTS"], rows);
}
