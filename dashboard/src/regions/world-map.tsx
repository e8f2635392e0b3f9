import { LAND } from "virtual:land";
import { STATE_WORDS, StateMark } from "../ui/state-mark.tsx";
import { PLACES } from "./places.ts";
import { MAP, project } from "./projection.ts";
import type { RegionStatus } from "./region-status.ts";

/** The map of the regions, each with a mark of its state and the data centres of its probers. */
export function WorldMap({ standings }: { standings: readonly RegionStatus[] }) {
  return (
    <figure class="card map">
      <div class="map-plane" aria-hidden="true">
        <svg viewBox={`0 0 ${MAP.width} ${MAP.height}`} aria-hidden="true">
          <path d={LAND} />
        </svg>
        {standings.map((standing) => (
          <Mark key={standing.view.region} {...standing} />
        ))}
      </div>
      <figcaption class="visually-hidden">
        A map of the world with the regions. The table below says the same.
      </figcaption>
    </figure>
  );
}

function Mark({ view: { region, colos }, tone, words }: RegionStatus) {
  const { at, label, name } = PLACES[region];
  const [x, y] = project(at);
  const place = (element: HTMLElement | null) => {
    element?.style.setProperty("left", `${(x / MAP.width) * 100}%`);
    element?.style.setProperty("top", `${(y / MAP.height) * 100}%`);
  };
  return (
    <div class="map-mark" data-tone={tone} data-label={label} ref={place} title={`${name}: ${words}`}>
      <StateMark state={tone} />
      <span class="map-label">
        <b>{region}</b>
        {colos.length > 0 && <span class="map-colos">{colos.join(" ")}</span>}
      </span>
      <span class="visually-hidden">{STATE_WORDS[tone]}</span>
    </div>
  );
}
