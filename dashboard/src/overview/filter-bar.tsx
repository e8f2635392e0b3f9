import { useEffect, useRef } from "preact/hooks";
import type { RecordState, RecordSummary } from "../../../shared/model/overview.ts";
import { STATE_WORDS, StateMark } from "../ui/state-mark.tsx";
import { countStates, type Filter } from "./filter.ts";

interface Props {
  records: readonly RecordSummary[];
  filter: Filter;
  onFilter: (filter: Filter) => void;
}

/** Filters the records by text and state. */
export function FilterBar({ records, filter, onFilter }: Props) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const jump = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      box.current?.focus();
    };
    addEventListener("keydown", jump);
    return () => removeEventListener("keydown", jump);
  }, []);
  const toggle = (state: RecordState) => {
    const states = new Set(filter.states);
    if (!states.delete(state)) states.add(state);
    onFilter({ ...filter, states });
  };
  return (
    <search class="filters">
      <div class="filter-box">
        <input
          ref={box}
          type="search"
          aria-label="Filter records"
          aria-keyshortcuts="/"
          placeholder="Filter by host, address, region"
          autocomplete="off"
          spellcheck={false}
          value={filter.text}
          onInput={(event) => onFilter({ ...filter, text: event.currentTarget.value })}
        />
        <span class="key" aria-hidden="true">
          /
        </span>
      </div>
      <fieldset class="states">
        <legend class="visually-hidden">Filter by state</legend>
        {countStates(records).map(([state, count]) => (
          <button key={state} type="button" aria-pressed={filter.states.has(state)} onClick={() => toggle(state)}>
            <StateMark state={state} />
            {STATE_WORDS[state]} <span class="count">{count}</span>
          </button>
        ))}
      </fieldset>
    </search>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
