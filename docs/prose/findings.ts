import type { Block } from "./blocks.ts";
import { PHRASES } from "./phrases.ts";

/** The longest sentence that still reads at once. */
export const MAX_WORDS = 25;

export interface Finding {
  line: number;
  sentence: string;
  /** What is wrong with it. */
  fault: string;
}

/** A sentence may begin with a name in lower case, where Intl.Segmenter sees none. */
const SENTENCE = /\S.*?(?:(?<!\b(?:e\.g|i\.e|etc|vs))[.!?][)"'”*_]*(?=\s)|$)/gs;
const CODE = /`[^`]*`/g;
const LINK = /!?\[([^\]]*)\]\([^)]*\)/g;
const WORD = /[\p{L}\p{N}]/u;

/** What is wrong with the sentences of a block. */
export function findingsIn({ line, text }: Block): Finding[] {
  const prose = text
    .replaceAll(LINK, padded)
    .replaceAll(CODE, (code) => `Code${" ".repeat(Math.max(0, code.length - 4))}`);
  return [...prose.replaceAll("\n", " ").matchAll(SENTENCE)].flatMap(({ 0: segment, index }) => {
    const at = line + text.slice(0, index).split("\n").length - 1;
    const sentence = text
      .slice(index, index + segment.length)
      .replaceAll(/\s+/g, " ")
      .trim();
    return faultsOf(segment.trim()).map((fault) => ({ line: at, sentence, fault }));
  });
}

function faultsOf(sentence: string): string[] {
  const words = sentence.split(/\s+/).filter((word) => WORD.test(word)).length;
  const phrases = PHRASES.flatMap(([phrase, instead]) => {
    const match = phrase.exec(sentence);
    return match ? [`"${match[0]}": write ${instead}`] : [];
  });
  return words > MAX_WORDS ? [`${words} words`, ...phrases] : phrases;
}

/** The label of a link in place of the link, as long as it. */
function padded(link: string, label: string): string {
  return label.padEnd(link.length);
}
