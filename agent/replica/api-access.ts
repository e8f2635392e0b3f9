import type { KubeConfig } from "@kubernetes/client-node";
import { loadKubeConfig } from "../kubernetes/kubeconfig.ts";
import { SettingsError } from "../runtime/settings.ts";
import type { Settings } from "../runtime/settings-schema.ts";

const DEFAULT_NAMESPACE = "vedette-system";

/** How the API server is reached, and the namespace of the agent. Throws a {@link SettingsError} that says what is missing. */
export function apiAccess({ kubeconfig, namespace }: Settings): { config: KubeConfig; namespace: string } {
  try {
    const loaded = loadKubeConfig({ kubeconfig, env: process.env });
    return { config: loaded.config, namespace: namespace ?? loaded.namespace ?? DEFAULT_NAMESPACE };
  } catch (error) {
    throw new SettingsError(
      `The Kubernetes API cannot be used: ${(error as Error).message}. See --kubeconfig in --help.`,
    );
  }
}
