import { z } from "zod";
import { settingsSchema as agentSchema, variableOf } from "../agent/settings.ts";
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
