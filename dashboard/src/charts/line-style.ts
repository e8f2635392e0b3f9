/** How the line of a region is told from the others: by dashes first, colour is but a help. Lengths in px; none is solid. */
export interface LineStyle {
  /** Name of the CSS custom property of its colour. */
  color: string;
  dash: number[];
}

const COLORS = 9;
const DASHES = [
  [],
  [9, 4],
  [2, 3],
  [9, 3, 2, 3],
  [16, 5],
  [4, 4],
  [12, 3, 2, 3, 2, 3],
  [4, 7],
  [20, 4, 6, 4],
  [6, 8],
  [3, 2],
];

/** The style of the nth line; there are as many dash patterns as there are regions. */
export function lineStyle(index: number): LineStyle {
  return { color: `--series-${(index % COLORS) + 1}`, dash: DASHES[index % DASHES.length] ?? [] };
}
