import type { Freshness } from "../../shared/health/freshness.ts";
import type { Policy, RegionWord } from "../../shared/health/verdict.ts";
import type { Endpoint, RecordType } from "../../shared/model/endpoint.ts";
import type { Word } from "../../shared/model/probe.ts";
import { REGIONS } from "../../shared/model/region.ts";
import type { Verdict } from "../../shared/model/status.ts";
import type { LeafHealth } from "../../shared/record/leaf-health.ts";

/** A plain record set with a TTL of 60 s. */
export function plain(dnsName: string, recordType: RecordType, ...targets: string[]): Endpoint {
  return { dnsName, recordType, recordTTL: 60, targets };
}

/** A weighted record set, identified by its first target. */
export function weighted(weight: number, dnsName: string, recordType: RecordType, ...targets: string[]): Endpoint {
  const providerSpecific = [{ name: "weight", value: `${weight}` }];
  return { ...plain(dnsName, recordType, ...targets), setIdentifier: targets[0] ?? "", providerSpecific };
}

/** A geo record set, identified by its code. */
export function geo(code: string, dnsName: string, recordType: RecordType, ...targets: string[]): Endpoint {
  const providerSpecific = [{ name: "geo-code", value: code }];
  return { ...plain(dnsName, recordType, ...targets), setIdentifier: code, providerSpecific };
}

/** Health by leaf; `Unhealthy` means in three regions and proven once, unless `more` says otherwise. */
export function health(
  verdicts: Record<string, Verdict>,
  more: Record<string, Partial<LeafHealth>> = {},
): Map<string, LeafHealth> {
  return new Map(
    Object.entries(verdicts).map(([leaf, verdict]) => [
      leaf,
      {
        verdict,
        unhealthyRegions: verdict === "Unhealthy" ? 3 : 0,
        proven: verdict !== "Pending",
        ...more[leaf],
      },
    ]),
  );
}

/** `name TYPE [set] → targets`, one line an endpoint. */
export function lines(endpoints: readonly Endpoint[]): string[] {
  return endpoints.map(({ dnsName, recordType, setIdentifier, targets }) =>
    [dnsName, recordType, ...(setIdentifier === undefined ? [] : [`[${setIdentifier}]`]), "→", ...targets].join(" "),
  );
}

const WORDS: Record<string, Word> = { u: "Unhealthy", h: "Healthy", p: "Pending" };
const FRESHNESS: Record<string, Freshness> = { "+": "Fresh", "?": "Awaited", "-": "Silent" };

/**
 * Regions in short: a verdict (`u`, `h`, `p`), its freshness (`+` fresh, `?` awaited, `-` silent) and a count. The count is
 * failures after `u` and `p`, and successes after `h`. Thresholds are those of {@link policy}.
 */
export function regions(text: string): RegionWord[] {
  return text.split(" ").map((part, index) => {
    const [word = "", freshness = "", ...digits] = part;
    const says = WORDS[word] ?? "Pending";
    const number = digits.length > 0 ? Number(digits.join("")) : says === "Unhealthy" ? 3 : 2;
    const counts = { failures: says === "Healthy" ? 0 : number, successes: says === "Healthy" ? number : 0, says };
    return { region: REGIONS[index] ?? "wnam", freshness: FRESHNESS[freshness] ?? "Fresh", counts };
  });
}

/** Two of three, unhealthy from the third failure, healthy from the second success. */
export const policy: Policy = { quorum: 2, failureThreshold: 2, successThreshold: 2, whenSilent: "Publish" };
