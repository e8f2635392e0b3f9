import { parseSync } from "oxc-parser";

/** A paragraph, heading or list item, with the number of the line that it begins at. Its line breaks are kept. */
export interface Block {
  line: number;
  text: string;
}

const FENCE = /^\s*(```|~~~)/;
/** A Markdown table, or aligned columns. */
const TABLE_ROW = /^\s*\||\S {3,}\S|^ {12,}\S/;
/** A tag of JSDoc begins a text of its own, too. */
const TAG = /^\s*@[a-z]/;
const HEADING = /^\s*#{1,6}\s/;
const LIST_ITEM = /^\s*([-*+]|\d+[.)])\s+/;
const MARKUP = /^\s*(#{1,6}|[-*+]|\d+[.)]|>)\s+/;
const HTML_COMMENT = /<!--.*?-->/gs;
const DIRECTIVE = /^\s*(biome-ignore|\/ <reference|@ts-)/;

/** The prose of a Markdown text, without code blocks and tables. `firstLine` is the number of its first line. */
export function markdownBlocks(text: string, firstLine = 1): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let isCode = false;
  for (const [index, line] of withoutHtmlComments(text).split("\n").entries()) {
    if (FENCE.test(line)) isCode = !isCode;
    if (isCode || FENCE.test(line) || TABLE_ROW.test(line) || line.trim() === "") {
      open = undefined;
      continue;
    }
    if (!open || LIST_ITEM.test(line) || HEADING.test(line) || TAG.test(line)) {
      open = { line: firstLine + index, text: line.replace(MARKUP, "") };
      blocks.push(open);
    } else open.text += `\n${line.replace(/^\s*>?/, "")}`;
    if (HEADING.test(line)) open = undefined;
  }
  return blocks;
}

/** The prose of all comments of a TypeScript file. Line comments below each other are one text. */
export function commentBlocks(file: string, source: string): Block[] {
  const texts: (Block & { end: number })[] = [];
  for (const comment of parseSync(file, source).comments) {
    if (DIRECTIVE.test(comment.value)) continue;
    const line = source.slice(0, comment.start).split("\n").length;
    const text = comment.value.replace(/^[ \t]*\*+ ?/gm, "");
    const last = texts.at(-1);
    if (comment.type === "Line" && last && /^\n[ \t]*$/.test(source.slice(last.end, comment.start))) {
      last.text += `\n${text}`;
      last.end = comment.end;
    } else texts.push({ line, text, end: comment.end });
  }
  return texts.flatMap(({ line, text }) => markdownBlocks(text, line));
}

/** The line breaks stay, so that the numbers of lines do. */
const withoutHtmlComments = (text: string) =>
  text.replaceAll(HTML_COMMENT, (comment) => comment.replaceAll(/[^\n]/g, ""));
