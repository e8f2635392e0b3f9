/**
 * How many words of one who speaks regularly a coordinator has heard and forgotten: those that lie between the newest that is in a row
 * and the first that its next memory hears. Whoever missed its time has told nothing to be forgotten, and that looks the same: so not
 * more are put in than a memory can have held.
 * @param lastMs when the newest was sent that was counted, Unix ms
 * @param firstMs when that was sent which is heard now, Unix ms
 * @param most by the time that passes between two rows
 */
export function forgottenWords(lastMs: number, firstMs: number, everyMs: number, most: number): number {
  return Math.max(0, Math.min(Math.round((firstMs - lastMs) / everyMs) - 1, most));
}
