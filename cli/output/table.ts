import { stripVTControlCharacters } from "node:util";

const GAP = "  ";

/** Columns as wide as their widest cell; colours count for nothing. The last column ends where its text does. */
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
