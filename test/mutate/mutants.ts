import { parseSync } from "vite";

export interface Mutant {
  line: number;
  /** Offsets in the source, and what stands there instead. */
  start: number;
  end: number;
  text: string;
  /** What changed, as `a < b` → `<=`. */
  change: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  operator?: string;
  value?: unknown;
  left?: Node;
  right?: Node;
}

const OPERATORS: Record<string, string> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&",
};
/** Types and imports have nothing that a test can notice. */
const SKIPPED = /^(TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|Import)/;
/** Removing one of these may change what the program does, and leaves code that parses. */
const REMOVABLE = new Set(["ExpressionStatement", "ReturnStatement", "ThrowStatement", "ContinueStatement"]);

/** All mutants of a TypeScript source, in the order in which they stand there. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const mutants: Mutant[] = [];
  const add = (start: number, end: number, text: string) => {
    const line = source.slice(0, start).split("\n").length;
    mutants.push({
      line,
      start,
      end,
      text,
      change: `${source.slice(start, end).split("\n")[0]} → ${text || "nothing"}`,
    });
  };
  const visit = (node: Node): void => {
    if (SKIPPED.test(node.type)) return;
    mutate(node, source, add);
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child);
    }
  };
  visit(parseSync(file, source).program as unknown as Node);
  return mutants.sort((a, b) => a.start - b.start);
}

function mutate(node: Node, source: string, add: (start: number, end: number, text: string) => void): void {
  const { type, start, end, operator, left, right } = node;
  const other = OPERATORS[operator ?? ""];
  if ((type === "BinaryExpression" || type === "LogicalExpression") && other && left && right) {
    const at = left.end + source.slice(left.end, right.start).indexOf(operator ?? "");
    add(at, at + (operator ?? "").length, other);
  }
  if (type === "Literal" && typeof node.value === "boolean") add(start, end, `${!node.value}`);
  if (type === "Literal" && typeof node.value === "number") add(start, end, `${node.value === 0 ? 1 : node.value * 2}`);
  if (REMOVABLE.has(type)) add(start, end, "");
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}
