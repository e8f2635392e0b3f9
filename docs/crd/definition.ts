import { stringify } from "yaml";
import { z } from "zod";
import { API_VERSION } from "../../shared/model/manifest.ts";
import type { Kind } from "./kinds.ts";
import { structural } from "./structural.ts";

const [GROUP = "", VERSION = ""] = API_VERSION.split("/");

/** The file of a kind's `CustomResourceDefinition` below `deploy/crds/`, named as controller-gen names them. */
export const fileOf = (kind: Kind) => `${GROUP}_${kind.plural}.yaml`;

/** The `CustomResourceDefinition` of a kind as YAML. */
export function definitionOf(kind: Kind): string {
  const { kind: name, plural, shortNames, categories, labels } = kind;
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}`, ...(labels && { labels }) },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { kind: name, listKind: `${name}List`, plural, singular: name.toLowerCase(), shortNames, categories },
      versions: [versionOf(kind)],
    },
  };
  return stringify(definition, { lineWidth: 120, aliasDuplicateObjects: false });
}

function versionOf({ description, spec, status, columns }: Kind) {
  return {
    name: VERSION,
    served: true,
    storage: true,
    subresources: { status: {} },
    additionalPrinterColumns: columns,
    schema: {
      openAPIV3Schema: {
        description,
        type: "object",
        required: ["spec"],
        properties: {
          apiVersion: { description: `${API_VERSION}.`, type: "string" },
          kind: { description: "The kind of the object.", type: "string" },
          metadata: { type: "object" },
          spec: schemaOf(spec, "spec", "What is wanted."),
          status: schemaOf(status, "status", "What was found. Written by the agent."),
        },
      },
    },
  };
}

function schemaOf(schema: z.ZodType, path: string, description: string) {
  return structural({ description, ...z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) }, path);
}
