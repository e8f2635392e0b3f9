import { stripVTControlCharacters } from "node:util";

const GAP = "  ";

/** Formats a table. A column is as wide as its widest cell, without colours. The last column is not padded. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => widthOf(row[column] ?? ""))));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
      .join(GAP)
      .trimEnd();
  return [head, ...rows].map(line).join("\n");
}

const widthOf = (text: string) => stripVTControlCharacters(text).length;
