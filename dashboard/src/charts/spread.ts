/**
 * Moves labels apart that would stand on each other: each keeps its order, is at least `gap` from the next, and all stay
 * within `[top, bottom]` as far as they fit. Gives the new places in the order of the old.
 */
export function spread(places: readonly number[], gap: number, top: number, bottom: number): number[] {
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  let free = top;
  for (const label of order) {
    label.place = Math.max(label.place, free);
    free = label.place + gap;
  }
  let limit = Math.max(bottom, top + gap * (order.length - 1));
  for (const label of order.toReversed()) {
    label.place = Math.min(label.place, limit);
    limit = label.place - gap;
  }
  const spreadOut = [...places];
  for (const { place, index } of order) spreadOut[index] = place;
  return spreadOut;
}
