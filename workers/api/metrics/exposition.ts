import { FAMILIES, type Family, type FamilyKey, type LabelsOf } from "./families.ts";

/** Media type of the text format: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Collects samples and writes them in the text format. Samples of one metric follow its help and type. */
export class Exposition {
  readonly #samples = new Map<FamilyKey, string[]>();

  /** Adds a sample. A sample without a value is left out. */
  add<Key extends FamilyKey>(key: Key, labels: LabelsOf<Key>, value: number | boolean | undefined): void {
    if (value === undefined) return;
    const family: Family = FAMILIES[key];
    const line = `${family.name}${labelText(family, labels)} ${Number(value)}`;
    const lines = this.#samples.get(key);
    if (lines === undefined) this.#samples.set(key, [line]);
    else lines.push(line);
  }

  text(): string {
    const keys = Object.keys(FAMILIES) as FamilyKey[];
    const blocks = keys.flatMap((key) => {
      const lines = this.#samples.get(key);
      if (lines === undefined) return [];
      const { name, type, help }: Family = FAMILIES[key];
      return [`# HELP ${name} ${help.replace(/\\/g, "\\\\")}`, `# TYPE ${name} ${type}`, ...lines];
    });
    return `${blocks.join("\n")}\n`;
  }
}

function labelText({ labels: names }: Family, labels: Record<string, string>): string {
  const pairs = names.map((name) => `${name}="${escaped(labels[name] ?? "")}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const ESCAPES: Record<string, string> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };
const escaped = (value: string) => value.replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? "");

/** Converts milliseconds to the seconds that Prometheus expects, to the microsecond. */
export function seconds(ms: number): number;
export function seconds(ms: number | undefined): number | undefined;
export function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 1000) / 1e6;
}
