import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ProbeStatus } from "../../../shared/model/status.ts";
import { PLACE_WORDS } from "../overview/leaf-groups.ts";
import { ToneMark } from "../ui/state-mark.tsx";
import { Since } from "../ui/time.tsx";
import { certificateEnd, isTroubled, type LeafFacts } from "./leaf-facts.ts";
import { RegionStrip, RegionTable } from "./regions.tsx";
import "./leaf.css";

interface Shown {
  facts: LeafFacts;
  sentence: string;
  now: number;
  /** Whether the details open automatically if the leaf is failing. */
  opens: boolean;
  /** The record set that leads to this leaf. */
  way: ComponentChildren;
}

/** One address: whether it is in DNS, why, and the view of each region. */
export function Leaf({ facts, sentence, now, opens, way }: Shown) {
  const { leaf, decision, place, tone, verdict, since, probes } = facts;
  return (
    <li class={`leaf-card tone-${tone}`} id={`leaf-${leaf}`} data-leaf={leaf} data-place={place}>
      <p class="leaf-line">
        {way}
        <span class="leaf-address">{leaf}</span>
        <span class="leaf-state">
          <ToneMark tone={tone} />
          <span>{decision === undefined ? "not decided yet" : PLACE_WORDS[place]}</span>
        </span>
        {verdict !== undefined && since !== undefined && (
          <span class="leaf-verdict muted small">
            {verdict} <Since at={since} />
          </span>
        )}
      </p>
      <p class="leaf-sentence" data-sentence>
        {sentence}
      </p>
      <Certificate probes={probes} now={now} />
      {probes.map((probe) => (
        <Seen key={probe.id} probe={probe} isOne={probes.length === 1} opens={opens && isTroubled(tone)} />
      ))}
    </li>
  );
}

function Certificate({ probes, now }: { probes: readonly ProbeStatus[]; now: number }) {
  const end = certificateEnd(probes, now);
  if (end === undefined) return null;
  return (
    <p class={`certificate small certificate-${end.level}`}>
      {end.level !== "ok" && <ToneMark tone={end.level === "soon" ? "warn" : "bad"} />}
      <span>
        Certificate {end.words}
        {end.level === "soon" && ": renew it now"}{" "}
        <time class="muted" dateTime={new Date(end.endsAt).toISOString()} title={new Date(end.endsAt).toUTCString()}>
          ({DAY.format(end.endsAt)})
        </time>
      </span>
    </p>
  );
}

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/**
 * The view of the regions. Opens automatically when `opens` becomes true. The table is rendered only while it is open.
 */
function Seen({ probe, isOne, opens }: { probe: ProbeStatus; isOne: boolean; opens: boolean }) {
  const [isOpen, setOpen] = useState(opens);
  useEffect(() => {
    if (opens) setOpen(true);
  }, [opens]);
  return (
    <details class="seen" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="visually-hidden">
          {probe.leaf}
          {isOne ? "" : ` of ${probe.cluster}`}, seen from{" "}
        </span>
        {!isOne && <span class="muted small">{probe.cluster}</span>}
        <RegionStrip regions={probe.regions} />
      </summary>
      {isOpen && <RegionTable probe={probe} />}
    </details>
  );
}
