import type { Block } from "./blocks.ts";

/** The longest sentence that still reads at once. */
export const MAX_WORDS = 25;

export interface Finding {
  line: number;
  sentence: string;
  /** What is wrong with it. */
  fault: string;
}

/** Phrases that the code and its documents do without, each with what to write instead. */
const PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bthat which\b/i, '"what", or name the thing'],
  [/\bwho(so)?ever\b/i, '"anyone who", or name the program'],
  [/(?<!\bout )\bof it\b/i, '"its", or leave it out'],
  [
    /^(of|to|from|for|by) (which|what|whom|those|these|its|one|a|an|the) [^,]*, (it|there|nothing|only|the|no) /i,
    "begin with the subject",
  ],
  [/^none\b/i, '"no" and the noun'],
  [/^others\b/i, "name them"],
  [/\btold\b/i, '"reported", "notified", "sent" or "known"'],
  [/\btroubles?\b/i, '"fault", "problem", "failure" or "alert"'],
  [/\bnews\b/i, '"change" or "new information"'],
  [
    /\b(last|regular|no|its|their|each|any|whose|a region's|the) words? (of|on|from|is|are|that|about)\b/i,
    '"report", "status", "contact" or "result"',
  ],
  [/\b(has|have|had|gives?|without) (its |their |a |no )?word\b/i, '"report", "contact" or "result"'],
  [/\bin words\b/i, '"as text"'],
  [/\bborne\b/i, '"tolerated"'],
  [/\bheld\b(?! lease)/i, '"stored", "kept" or "compared"'],
  [/\bmend(s|ed|ing)?\b/i, '"repair", "fix" or "correct"'],
  [/\bto be had\b/i, '"available"'],
  [/\bof late\b/i, '"recently"'],
  [/\bfor want of\b/i, '"without"'],
  [/\bthrice\b/i, '"three times"'],
  [/\banew\b/i, '"again"'],
  [/\blest\b/i, '"so that … not"'],
  [/\b(made|makes?|making) (up for|good)\b/i, '"corrected", "recovered" or "repaired"'],
  [/(?<!\bthere )\b(is|are) none\b/i, '"is not", "are no …"'],
  [/\b(is|are|was|were) no more\b(?! than)/i, '"is gone", "no longer exists"'],
  [/\bin (its|their) turn\b/i, '"then"'],
  [/\bhas to\b.*\bhas to\b/i, '"must"'],
  [/\bdoes not fit\b/i, '"is wrong", "does not match"'],
  [/\bgo(es)? past\b/i, '"exceed" or "skip"'],
];

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
