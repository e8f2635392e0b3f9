import { type EventFilter, isFiltering, namedIn } from "./filter.ts";
import { KINDS, type Kind } from "./kinds.ts";
import type { TimelineEvent } from "./timeline.ts";

interface Shown {
  filter: EventFilter;
  change(part: Partial<EventFilter>): void;
  events: readonly TimelineEvent[];
}

const ALL: EventFilter = { kinds: [], host: "", cluster: "", region: "", text: "" };

/** The filter form of the timeline. */
export function Filters({ filter, change, events }: Shown) {
  const { clusters, regions } = namedIn(events);
  return (
    <search class="event-filters">
      <fieldset class="kind-filter">
        <legend class="visually-hidden">Kinds of events</legend>
        {(Object.keys(KINDS) as Kind[]).map((kind) => (
          <KindButton key={kind} kind={kind} filter={filter} change={change} />
        ))}
      </fieldset>
      <div class="field-filter">
        <Field label="Host" value={filter.host} onChange={(host) => change({ host })} />
        <Choice label="Cluster" value={filter.cluster} names={clusters} onChange={(cluster) => change({ cluster })} />
        <Choice label="Region" value={filter.region} names={regions} onChange={(region) => change({ region })} />
        <Field label="Text" value={filter.text} onChange={(text) => change({ text })} />
        {isFiltering(filter) && (
          <button type="button" onClick={() => change(ALL)}>
            Show all
          </button>
        )}
      </div>
    </search>
  );
}

function KindButton({ kind, filter: { kinds }, change }: { kind: Kind } & Omit<Shown, "events">) {
  const isOn = kinds.includes(kind);
  const toggled = isOn ? kinds.filter((one) => one !== kind) : [...kinds, kind];
  return (
    <button type="button" class="chip" aria-pressed={isOn} onClick={() => change({ kinds: toggled })}>
      {KINDS[kind]}
    </button>
  );
}

function Field({ label, value, onChange }: { label: string; value: string; onChange(value: string): void }) {
  return (
    <label>
      <span>{label}</span>
      <input type="search" value={value} onInput={(event) => onChange(event.currentTarget.value)} />
    </label>
  );
}

interface Choices {
  label: string;
  value: string;
  names: readonly string[];
  onChange(value: string): void;
}

/** Keeps a name from the address as an option even if no event has it, so that it can be cleared. */
function Choice({ label, value, names, onChange }: Choices) {
  const offered = value === "" || names.includes(value) ? names : [value, ...names];
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">any</option>
        {offered.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
