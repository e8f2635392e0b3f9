// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
const COLOUR_OR_CHARACTER = /\x1b\[[0-9;]*m|./gsu;

/** One line in at most so many columns. What is cut off is marked, and colours end as they would have. */
export function cut(line: string, columns: number): string {
  const parts = line.match(COLOUR_OR_CHARACTER) ?? [];
  if (parts.filter(isCharacter).length <= columns) return line;
  let room = columns - 1;
  const kept = parts.filter((part) => !isCharacter(part) || room-- > 0);
  return `${kept.join("")}…`;
}

const isCharacter = (part: string) => !part.startsWith("\x1b");
