import { z } from "zod";
import { variableOf } from "../agent/settings.ts";
import { settingsSchema as agentSchema } from "../agent/settings-schema.ts";
import { recordManifest } from "../shared/model/manifest.ts";
import { settingsSchema } from "../workers/settings.ts";

interface Page {
  file: string;
  source: string;
  intro: string;
  schema: z.ZodType;
}

const RECORDS = `# Records

A \`DNSRecord\` names one root host, the DNS endpoints under it and, optionally, how to check their health. Durations read
as Kubernetes writes them (\`30s\`, \`1m30s\`); unknown fields are refused. Names and addresses are brought into one
canonical form (lower case, no trailing dot, A-labels; RFC 5952), so two spellings are one leaf.

An address in a private, loopback, reserved, multicast or Cloudflare range cannot be probed: it is published unjudged, and
the record's condition says \`NotProbeable\`. A wildcard host is probed only where the health check names a \`host\`.

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
`;

const EDGE_SETTINGS = `# Settings of the edge

Variables and secrets of the Worker. Secrets (\`ADMIN_TOKEN\`, \`HEADER_KEY\`) go in with \`wrangler secret put NAME\`.
`;

const AGENT_SETTINGS = `# Settings of the agent

Environment variables; each but \`VEDETTE_SECRET\` has a flag of the same name (\`VEDETTE_EDGE_URL\` is \`--edge-url\`), which goes
first. \`npx node agent/main.ts --help\` shows them with examples.
`;

/** The reference pages that are made from schemas. */
export function pages(): Page[] {
  return [
    { file: "records.md", source: "shared/model/", intro: RECORDS, schema: recordManifest },
    { file: "edge-settings.md", source: "workers/settings.ts", intro: EDGE_SETTINGS, schema: settingsSchema },
    { file: "agent-settings.md", source: "agent/settings.ts", intro: AGENT_SETTINGS, schema: agentVariables() },
  ];
}

function agentVariables(): z.ZodType {
  return z.object(
    Object.fromEntries(Object.entries(agentSchema.shape).map(([name, schema]) => [variableOf(name), schema])),
  );
}
