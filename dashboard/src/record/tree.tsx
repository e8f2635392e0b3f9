import { clockIn } from "../../../shared/explain/clock.ts";
import { explainLeaf } from "../../../shared/explain/leaf.ts";
import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import { type Branch, layoutTree, leavesInOrder, type TreeNode } from "../tree/layout.ts";
import { Leaf } from "./leaf.tsx";
import { countTroubled, leafFacts } from "./leaf-facts.ts";
import "./tree.css";

interface Shown {
  record: RecordDetail;
  now: number;
  /** Whether the details of a failing leaf are open at first. */
  opens: boolean;
}

/** With more failing leaves, the open tables would fill dozens of screens. */
const OPENED = 5;

/** The record as a tree, from its names down to the addresses. */
export function Tree({ record, now }: Omit<Shown, "opens">) {
  const shown = { record, now, opens: countTroubled(record) <= OPENED };
  const roots = layoutTree(record.wanted, record.endpoints);
  const drawn = new Set(leavesInOrder(roots));
  // A leaf that the record just dropped may still have a decision.
  const others = record.leaves.filter(({ leaf }) => !drawn.has(leaf));
  return (
    <section aria-labelledby="tree">
      <h2 id="tree">From name to address</h2>
      <ul class="tree tree-roots">
        {roots.map((node) => (
          <Node key={node.id} node={node} shown={shown} />
        ))}
        {others.map(({ leaf }) => (
          <LeafNode key={leaf} leaf={leaf} shown={shown} />
        ))}
      </ul>
    </section>
  );
}

function Node({ node, via, shown }: { node: TreeNode; via?: Branch; shown: Shown }) {
  if (node.repeated) return <Repeated node={node} via={via} />;
  if (node.kind === "leaf") return <LeafNode leaf={node.leaf} via={via} shown={shown} />;
  return (
    <li class="tree-name" id={node.id}>
      <p class="tree-line">
        <Way via={via} />
        <span class="tree-host">{node.name}</span>
        {node.name.startsWith("*.") && <span class="muted small">any name there that has no records of its own</span>}
      </p>
      <ul class="tree">
        {node.branches.map((branch, index) => (
          <Node key={`${index} ${branch.to.id}`} node={branch.to} via={branch} shown={shown} />
        ))}
      </ul>
    </li>
  );
}

function LeafNode({
  leaf,
  via,
  shown: { record, now, opens },
}: {
  leaf: string;
  via?: Branch | undefined;
  shown: Shown;
}) {
  return (
    <Leaf
      facts={leafFacts(record, leaf)}
      sentence={explainLeaf(record, leaf, clockIn(now))}
      now={now}
      opens={opens}
      way={via === undefined ? undefined : <Way via={via} />}
    />
  );
}

/** A name that was drawn above is shown as a link to it. */
function Repeated({ node, via }: { node: TreeNode; via: Branch | undefined }) {
  return (
    <li class="tree-name">
      <p class="tree-line">
        <Way via={via} />
        <a class="tree-host" href={`#${node.id}`}>
          {node.kind === "leaf" ? node.leaf : node.name}
        </a>
        <span class="muted small">shown above</span>
      </p>
    </li>
  );
}

/** The record set that leads to this leaf. */
function Way({ via }: { via: Branch | undefined }) {
  if (via === undefined) return null;
  return (
    <span class="way">
      {via.type}
      {via.routing !== "" && <b>{via.routing}</b>}
      <span class="way-ttl" title={`May be kept by resolvers for ${via.ttlSeconds} seconds`}>
        {via.ttlSeconds} s
      </span>
    </span>
  );
}
