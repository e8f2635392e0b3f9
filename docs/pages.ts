import { z } from "zod";
import { variableOf } from "../agent/runtime/settings.ts";
import { settingsSchema as agentSchema } from "../agent/runtime/settings-schema.ts";
import { policyManifest, policyStatus } from "../shared/model/dns-health-check-policy.ts";
import { probeObjectStatus, probeSpec } from "../shared/model/dns-health-check-probe.ts";
import { dnsRecordStatus } from "../shared/model/dns-record.ts";
import { recordManifest } from "../shared/model/manifest.ts";
import { settingsSchema } from "../workers/settings.ts";

interface Page {
  file: string;
  source: string;
  intro: string;
  schema: z.ZodType;
  /** Of a custom resource. */
  status?: z.ZodType;
}

const IN_KUBERNETES = "In Kubernetes the API server judges most of this itself, as its rules and the defaults stand in";

const RECORDS = `# Records

A \`DNSRecord\` names one root host, the DNS endpoints under it and, optionally, how to check their health. Durations read
as Kubernetes writes them (\`30s\`, \`1m30s\`); unknown fields are refused. Names and addresses are brought into one
canonical form (lower case, no trailing dot, A-labels; RFC 5952), so two spellings are one leaf.

An address in a private, loopback, reserved, multicast or Cloudflare range cannot be probed: it is published unjudged, and
the record's condition says \`NotProbeable\`. A wildcard host is probed only where the health check names a \`host\`.

The edge has limits, each a setting that whoever runs it can change ([settings](edge-settings.md)). A record is refused, and its last
accepted form stays, with a port outside \`ALLOWED_PORTS\` (\`PortNotAllowed\`) and beyond \`MAX_LEAVES_PER_CLUSTER\` (\`TooManyLeaves\`).
One address is asked \`MAX_REQUESTS_PER_ADDRESS\` times a second at most, counted over all clusters of a partition (each partition counts for
itself): regions / interval, summed over the records that name it. The newest records beyond that are published unjudged there, and
their condition \`NotProbeable\` says \`TooManyRequestsToAddress\` with the numbers: lengthen \`interval\` or name fewer regions. Where many
records share an address, they also confirm less often than \`confirmInterval\` says, or not at all. A target that is a host name counts by its name, and not
with the addresses that it leads to: those are looked up anew for each check.

An HTTPS probe asks each address for \`host\`, by SNI and Host header, and verifies the certificate as a browser does, revocation apart. What is
wrong has its own reason, and the message of the observation tells the rest:

| reason | what to do |
| --- | --- |
| \`CertificateExpired\`, \`CertificateNotYetValid\` | renew it, also where an intermediate certificate is the one that ended |
| \`CertificateNameMismatch\` | let the gateway show a certificate for \`host\`, or set the \`host\` that it has one for |
| \`CertificateUntrusted\` | let the gateway send the intermediate certificates; a private authority goes into the edge's \`EXTRA_ROOTS\` |
| \`CertificateInvalid\` | have it issued anew: browsers refuse it too (weak key, SHA-1, not for servers, beyond its constraints) |
| \`TLSVersionUnsupported\` | switch on TLS 1.2 or 1.3 |
| \`TLSAlert\` | read the server's log: it refused the handshake, with the alert that is named |
| \`TLSHandshakeTimeout\` | the port is open, and who listens there does not finish a handshake in time |
| \`TLSProtocolError\` | what answers there does not speak TLS, or wrongly: is it plain HTTP? |

With \`allowInsecureCertificate\` those of the certificate are no failures, and are shown.

${IN_KUBERNETES}
[the definition](../deploy/crds/vedette.dev_dnsrecords.yaml); the rest (names with IDN labels, spellings of IPv6, and what several
endpoints ask of each other) is told by the record's condition \`Accepted\`, and the last spec that was in order stays in force.
`;

const POLICIES = `# Policies

A \`DNSHealthCheckPolicy\` is attached to a Gateway, or to one listener of it, in its own namespace, and makes
[records](records.md) of their host names: [an example, and which policy wins](kubernetes.md#publish-something).

\`status.ancestors\` tells by its condition \`Accepted\` what became of a policy: \`Accepted\`, \`Conflicted\`, \`Invalid\` or
\`TargetNotFound\`, with the objects named. Without \`protocol\` each listener is asked in its own way (HTTPS and TLS by HTTPS, HTTP by
HTTP, TCP by TCP), so that what the check asks for has to make sense for each of them.

${IN_KUBERNETES}
[the definition](../deploy/crds/vedette.dev_dnshealthcheckpolicies.yaml).
`;

const PROBES = `# Probes

A \`DNSHealthCheckProbe\` shows the health of one address of a \`DNSRecord\`: what is asked, what each region found, and what follows
for DNS. The agent makes one for each address that is checked, owned by its record, and removes it with the address; it overwrites edits.

\`\`\`sh
kubectl get dnshealthcheckprobes                      # who is healthy, and since when they were asked
kubectl get dnshealthcheckprobes -l vedette.dev/record=api
kubectl get dnshealthcheckprobe NAME -o yaml          # the word of each region, with its reason and message
\`\`\`

\`healthy\` is absent until there was a first verdict. \`lastCheckedAt\` is refreshed at a slow pace while nothing changes, so that an old
time by itself is no sign of trouble; a region that no longer reports has \`freshness: Silent\`.
`;

const EDGE_SETTINGS = `# Settings of the edge

Variables and secrets of the Worker. Secrets (\`ADMIN_TOKEN\`, \`VIEW_TOKEN\`, \`HEADER_KEY\`, \`NOTIFICATIONS\`) go in with \`wrangler secret put NAME\`.

A wrong one stops the edge: it answers 503 and says which, without the value of a secret. Not so \`ADMIN_TOKEN\`, \`PUBLIC_READS\`, \`VIEW_TOKEN\`,
\`PUBLIC_VIEW\`, \`PUBLIC_URL\` and \`NOTIFICATIONS\`, since who may look and who is told must not stop a failover: a wrong one counts as absent (of
\`NOTIFICATIONS\` only the targets that are wrong), which opens nothing. \`/healthz\`, the Worker's log and the metric
\`vedette_edge_setting_faults\` say what is wrong.
`;

const AGENT_SETTINGS = `# Settings of the agent

Environment variables; each but \`VEDETTE_SECRET\` has a flag of the same name (\`VEDETTE_EDGE_URL\` is \`--edge-url\`), which goes
first. \`npx node agent/main.ts --help\` shows them with examples.
`;

const MODEL = "shared/model/";

/** The reference pages that are made from schemas. */
export function pages(): Page[] {
  return [
    { file: "records.md", source: MODEL, intro: RECORDS, schema: fieldsOf(recordManifest), status: dnsRecordStatus },
    { file: "policies.md", source: MODEL, intro: POLICIES, schema: fieldsOf(policyManifest), status: policyStatus },
    {
      file: "probes.md",
      source: MODEL,
      intro: PROBES,
      schema: z.object({ spec: probeSpec }),
      status: probeObjectStatus,
    },
    { file: "edge-settings.md", source: "workers/settings.ts", intro: EDGE_SETTINGS, schema: settingsSchema },
    { file: "agent-settings.md", source: "agent/runtime/settings.ts", intro: AGENT_SETTINGS, schema: agentVariables() },
  ];
}

/** What a user writes in a manifest. */
const fieldsOf = (manifest: typeof recordManifest | typeof policyManifest) => manifest.omit({ status: true });

function agentVariables(): z.ZodType {
  return z.object(
    Object.fromEntries(Object.entries(agentSchema.shape).map(([name, schema]) => [variableOf(name), schema])),
  );
}
