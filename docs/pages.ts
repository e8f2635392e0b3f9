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

const IN_KUBERNETES = "In Kubernetes the API server checks most of this itself. Its rules and the defaults are in";

const RECORDS = `# Records

A \`DNSRecord\` names one root host, the DNS endpoints under it and, optionally, how to check their health. Durations are written
as in Kubernetes (\`30s\`, \`1m30s\`). Unknown fields are refused. Names and addresses are normalized (lower case, no trailing dot, A-labels; RFC 5952), so
two spellings are one leaf.

An address in a private, loopback, reserved, multicast or Cloudflare range cannot be probed. It is published unjudged, and
the record's condition is \`NotProbeable\`. A wildcard host is probed only where the health check names a \`host\`.

The edge has limits, and each is a setting of the edge ([settings](edge-settings.md)).

- A record is refused, and its last accepted form stays, with a port outside \`ALLOWED_PORTS\` (\`PortNotAllowed\`) and
  beyond \`MAX_LEAVES_PER_CLUSTER\` (\`TooManyLeaves\`).
- One address gets at most \`MAX_REQUESTS_PER_ADDRESS\` requests a second, counted over all clusters of a partition. Each partition counts for
  itself. The count is regions / interval, summed over the records that name the address.
- The newest records beyond that limit are published unjudged there. Their condition \`NotProbeable\` gives \`TooManyRequestsToAddress\` with the numbers.
  Lengthen \`interval\` or name fewer regions.
- Where many records share an address, they also confirm less often than \`confirmInterval\` says, or not at all.
- A target that is a host name counts by its name, not by its addresses. These are looked up again for each check.

An HTTPS probe asks each address for \`host\`, by SNI and Host header. It verifies the certificate as a browser does, except for revocation. Each
fault has its own reason, and the observation's message has the details:

| reason | what to do |
| --- | --- |
| \`CertificateExpired\`, \`CertificateNotYetValid\` | renew it, also where an intermediate certificate has expired |
| \`CertificateNameMismatch\` | let the gateway present a certificate for \`host\`, or set the \`host\` that it has one for |
| \`CertificateUntrusted\` | let the gateway send the intermediate certificates; add a private authority to the edge's \`EXTRA_ROOTS\` |
| \`CertificateInvalid\` | have it issued again: browsers refuse it too (weak key, SHA-1, not for servers, beyond its constraints) |
| \`TLSVersionUnsupported\` | enable TLS 1.2 or 1.3 |
| \`TLSAlert\` | read the server's log: it refused the handshake, with the alert in the message |
| \`TLSHandshakeTimeout\` | the port is open, but the server does not finish a handshake in time |
| \`TLSProtocolError\` | the server does not speak TLS, or not correctly: is it plain HTTP? |

With \`allowInsecureCertificate\` the reasons of certificates are no failures, and are shown.

${IN_KUBERNETES}
[the definition](../deploy/crds/vedette.dev_dnsrecords.yaml). The record's condition \`Accepted\` reports the rest: names with IDN labels, spellings of
IPv6, and rules between several endpoints. The last accepted spec stays in force.
`;

const POLICIES = `# Policies

A \`DNSHealthCheckPolicy\` is attached to a Gateway in its own namespace, or to one of the Gateway's listeners. It makes
[records](records.md) of their host names. [Here is an example, and which policy has priority](kubernetes.md#publish-something).

The condition \`Accepted\` in \`status.ancestors\` shows the result: \`Accepted\`, \`Conflicted\`, \`Invalid\` or
\`TargetNotFound\`, with the objects named. Without \`protocol\` each listener is probed in its own way: HTTPS and TLS by HTTPS, HTTP by
HTTP, TCP by TCP. So the fields of the check must be valid for each of them.

${IN_KUBERNETES}
[the definition](../deploy/crds/vedette.dev_dnshealthcheckpolicies.yaml).
`;

const PROBES = `# Probes

A \`DNSHealthCheckProbe\` shows the health of one address of a \`DNSRecord\`: what is checked, what each region found, and what follows
for DNS. The agent makes one for each address that is checked, owned by its record. It removes the probe with the address, and overwrites edits.

\`\`\`sh
kubectl get dnshealthcheckprobes                      # which addresses are healthy
kubectl get dnshealthcheckprobes -l vedette.dev/record=api
kubectl get dnshealthcheckprobe NAME -o yaml          # the result of each region, with its reason and message
\`\`\`

\`healthy\` is absent until there is a first verdict. \`lastCheckedAt\` is refreshed at a slow pace while nothing changes, so an old
time alone is no fault. A region that no longer reports has \`freshness: Silent\`.
`;

const EDGE_SETTINGS = `# Settings of the edge

Variables and secrets of the Worker. Secrets (\`ADMIN_TOKEN\`, \`VIEW_TOKEN\`, \`HEADER_KEY\`, \`NOTIFICATIONS\`) go in with \`wrangler secret put NAME\`.

A wrong setting stops the edge: it answers 503 and names the setting, without the value of a secret. Some settings are exceptions: \`ADMIN_TOKEN\`, \`PUBLIC_READS\`,
\`VIEW_TOKEN\`, \`PUBLIC_VIEW\`, \`PUBLIC_URL\` and \`NOTIFICATIONS\`. Access and notifications must not stop a failover. A wrong one of these counts as absent, which opens
nothing. In \`NOTIFICATIONS\` only the wrong targets count as absent. \`/healthz\`, the Worker's log and the metric
\`vedette_edge_setting_faults\` report the fault.
`;

const AGENT_SETTINGS = `# Settings of the agent

The settings are environment variables. Each but \`VEDETTE_SECRET\` has a flag of the same name (\`VEDETTE_EDGE_URL\` is \`--edge-url\`), which has
priority. \`npx node agent/main.ts --help\` shows them with examples.
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
