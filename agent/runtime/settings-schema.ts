import { z } from "zod";
import { canonicalAddress } from "../../shared/model/address.ts";
import { duration } from "../../shared/model/duration.ts";
import { canonicalHost } from "../../shared/model/host.ts";
import { objectName } from "../../shared/model/record.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

const port = (defaultPort: number) => z.coerce.number().int().min(0).max(65_535).default(defaultPort);
const list = z.string().transform((text) => text.split(",").map((part) => part.trim()));
const address = z.string().transform((text, context) => {
  const canonical = canonicalAddress(text);
  if (canonical !== undefined) return canonical;
  context.addIssue({ code: "custom", message: "must be an IP address of this machine, or 0.0.0.0 or :: for all" });
  return z.NEVER;
});

/** Signatures protect what an agent says; header secrets in its snapshots need TLS, except on this machine. */
const edgeUrl = z.string().superRefine((text, context) => {
  const url = URL.parse(text);
  const isLocal = url?.hostname === "localhost" || url?.hostname === "[::1]" || /^127\./.test(url?.hostname ?? "");
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && isLocal)) {
    context.addIssue({ code: "custom", message: "must be an https:// URL (http:// only to this machine)" });
  } else if (url.username !== "" || url.password !== "") {
    context.addIssue({ code: "custom", message: "must not hold a user or a password" });
  }
});

const WEBHOOK_SECRET = /^(whsec_)?[A-Za-z0-9+/]{32,}={0,2}$/;
const secret = z
  .string()
  .transform((text) => text.split(/\s+/).filter((part) => part !== ""))
  .refine((secrets) => secrets.length > 0 && secrets.length <= 2 && secrets.every((one) => WEBHOOK_SECRET.test(one)), {
    error: "must be the secret that registering the cluster returned (whsec_…), or two of them while rotating",
  });

const nameServer = z.string().transform((text, context) => {
  const [name = "", given] = text.split("=");
  const host = canonicalHost(name);
  const at = given === undefined ? undefined : canonicalAddress(given);
  if ("host" in host && (given === undefined || at !== undefined)) {
    return { name: host.host, ...(at !== undefined && { address: at }) };
  }
  context.addIssue({ code: "custom", message: "must hold name or name=address, such as ns1.example.com=203.0.113.5" });
  return z.NEVER;
});

/** Settings of an agent in a Kubernetes cluster. */
const kubernetesSettings = {
  kubeconfig: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Kubeconfig file. Default: the pod's service account; outside of a cluster KUBECONFIG or ~/.kube/config.",
    ),
  namespace: objectName
    .optional()
    .describe("Namespace of the agent's Leases. Default: that of the pod's service account, else vedette-system."),
  podName: objectName.optional().describe("Who this replica is in the Leases. Default: the host name."),
  forwardAddress: address
    .optional()
    .describe(
      "Address (of the pod) at which other replicas hand on the deliveries that reach them. Default: webhookAddress.",
    ),
  leaderLeaseMs: duration(2 * SECOND_MS, 10 * MINUTE_MS)
    .prefault("10s")
    .describe("Another replica takes over when the leader has not renewed its Lease for so long."),
  resyncMs: duration(10 * SECOND_MS, DAY_MS)
    .prefault("10m")
    .describe("How often everything is listed again, in case a watch has missed something."),
  statusRefreshMs: duration(SECOND_MS, DAY_MS)
    .prefault("5m")
    .describe("How often lastCheckedAt and exact counts are refreshed where nothing else has changed."),
  deletionTimeoutMs: duration(SECOND_MS, DAY_MS)
    .prefault("5m")
    .describe("How long a deleted record waits for the edge before it is released without it."),
};

/** Settings of publishing through external-dns. */
const externalDnsSettings = {
  publisher: list
    .pipe(z.array(z.enum(["embedded", "external-dns"])).min(1))
    .optional()
    .describe(
      "How decisions get into DNS: embedded (the agent's own DNS server), external-dns (DNSEndpoint objects), or both with a comma. Default: external-dns with kubernetes, else embedded.",
    ),
  externalDnsOwner: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe(
      "The --txt-owner-id of this cluster's external-dns. With it, a host that another owner publishes is left alone (PublisherConflict).",
    ),
  externalDnsTxtPrefix: z.string().max(128).optional().describe("Its --txt-prefix."),
  externalDnsTxtSuffix: z.string().max(128).optional().describe("Its --txt-suffix."),
  externalDnsTxtWildcardReplacement: z.string().max(63).optional().describe("Its --txt-wildcard-replacement."),
  externalDnsResolvers: list
    .pipe(z.array(z.string().min(1)).min(1))
    .optional()
    .describe("DNS servers that are asked for the owner, as address or address:port. Default: those of the system."),
};

/** Every setting of the agent: name, default, check and help in one place. */
export const settingsSchema = z.object({
  records: list
    .pipe(z.array(z.string().min(1)).min(1))
    .optional()
    .describe(
      "File or folder with DNSRecord and Secret manifests (.yaml, .yml, .json); several with commas. Required without kubernetes.",
    ),
  kubernetes: z
    .stringbool()
    .prefault("false")
    .describe("Read the records from the Kubernetes API instead of files, and write their status there."),
  edgeUrl: edgeUrl.describe("Where the edge is, such as https://vedette.example.workers.dev."),
  cluster: objectName.describe("Name under which the cluster was registered at the edge."),
  secret: secret.describe(
    "What registering the cluster returned; here or in the secret file, never a flag, since ps shows those.",
  ),
  secretFile: z.string().min(1).optional().describe("File that holds the secret, instead of VEDETTE_SECRET."),
  state: z
    .string()
    .min(1)
    .optional()
    .describe("State file. Default: beside the manifests. With kubernetes the API holds the state."),
  clusterUid: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe(
      "Identity of the cluster. Default: made once, kept in the state file; with kubernetes the uid of kube-system.",
    ),
  pull: z.stringbool().prefault("false").describe("Ask the edge for deliveries instead of listening for its webhook."),
  pullIntervalMs: duration(SECOND_MS, MINUTE_MS).prefault("5s").describe("How often to ask, with pull."),
  webhookAddress: address.prefault("127.0.0.1").describe("Where deliveries, /healthz and /readyz are listened for."),
  webhookPort: port(8788).describe("Port for those."),
  dnsAddress: address.prefault("127.0.0.1").describe("Where the DNS server answers, UDP and TCP."),
  dnsPort: port(8753).describe("Port for DNS; 53 in production."),
  nameServers: list
    .pipe(z.array(nameServer).min(1))
    .optional()
    .describe("Name servers of the zones: name or name=address, with commas. Default: ns.<rootHost>."),
  negativeTtlMs: duration(SECOND_MS, DAY_MS)
    .prefault("1m")
    .describe("How long resolvers may keep that a name or type does not exist (RFC 2308)."),
  edgeStaleAfterMs: duration(SECOND_MS, DAY_MS)
    .prefault("5m")
    .describe("Without a delivery for so long, each record's whenSilent decides what is published."),
  reconfigMaxDelayMs: duration(0, 60 * MINUTE_MS)
    .prefault("1s")
    .describe("Window in which changes are gathered into one snapshot."),
  ...kubernetesSettings,
  ...externalDnsSettings,
  operationsAddress: address
    .prefault("127.0.0.1")
    .describe("With kubernetes: where /healthz, /readyz and /metrics are listened for."),
  operationsPort: port(8790).describe("Port for those."),
  logFormat: z.enum(["text", "json"]).default("text").describe("Log lines for people or for machines."),
});
export type Settings = z.output<typeof settingsSchema>;

const always = { when: () => true };

/** The schema with the rules between settings; they are asked also where single settings are wrong, to name all at once. */
export const checkedSettings = settingsSchema
  .refine(({ records, kubernetes }) => kubernetes === true || records !== undefined, {
    ...always,
    path: ["records"],
    error: "is required, unless kubernetes is set",
  })
  .refine(({ records, kubernetes }) => kubernetes !== true || records === undefined, {
    ...always,
    path: ["records"],
    error: "must not be set with kubernetes: records come from files or from the API",
  })
  .refine(({ publisher, kubernetes }) => kubernetes === true || !publisher?.includes("external-dns"), {
    ...always,
    path: ["publisher"],
    error: "needs kubernetes: external-dns reads a Kubernetes object",
  });
