import { expect, test } from "vitest";
import type { Endpoint } from "../../../shared/model/endpoint.ts";
import { layoutTree, leavesInOrder, type TreeNode } from "./layout.ts";

const set = (dnsName: string, recordType: Endpoint["recordType"], ...targets: string[]): Endpoint => ({
  dnsName,
  recordType,
  recordTTL: 60,
  targets,
});
const routed = (endpoint: Endpoint, setIdentifier: string, name: string, value: string): Endpoint => ({
  ...endpoint,
  setIdentifier,
  providerSpecific: [{ name, value }],
});

/** The tree as lines, indented by depth. */
function drawn(nodes: readonly TreeNode[], depth = 0, before = ""): string[] {
  return nodes.flatMap((node) => {
    const text = `${"  ".repeat(depth)}${before}${node.kind === "leaf" ? node.leaf : node.name}${node.repeated ? " (above)" : ""}`;
    if (node.kind === "leaf") return [text];
    const below = node.branches.flatMap(({ type, routing, published, to }) =>
      drawn([to], depth + 1, `${[type, routing, published ? "" : "withheld"].filter(Boolean).join(" ")}: `),
    );
    return [text, ...below];
  });
}

test("one name with its addresses, one of them withheld", () => {
  const wanted = [set("a.example.com", "A", "192.0.2.1", "192.0.2.2"), set("a.example.com", "AAAA", "2001:db8::1")];
  const decided = [set("a.example.com", "A", "192.0.2.2"), set("a.example.com", "AAAA", "2001:db8::1")];
  expect(drawn(layoutTree(wanted, decided))).toEqual([
    "a.example.com",
    "  A withheld: 192.0.2.1",
    "  A: 192.0.2.2",
    "  AAAA: 2001:db8::1",
  ]);
});

test("CNAMEs, geo and weights down to the leaves; what two names share is drawn once", () => {
  const wanted = [
    set("shop.example.com", "CNAME", "klb.example.com"),
    routed(set("klb.example.com", "CNAME", "eu.example.com"), "EU", "geo-code", "EU"),
    routed(set("klb.example.com", "CNAME", "eu.example.com"), "default", "geo-code", "*"),
    routed(set("eu.example.com", "CNAME", "c1.example.com"), "c1", "weight", "120"),
    routed(set("eu.example.com", "CNAME", "elb.provider.test"), "c2", "weight", "80"),
    set("c1.example.com", "A", "192.0.2.1"),
  ];
  const roots = layoutTree(wanted, wanted);
  expect(drawn(roots)).toEqual([
    "shop.example.com",
    "  CNAME: klb.example.com",
    "    CNAME geo EU: eu.example.com",
    "      CNAME weight 120: c1.example.com",
    "        A: 192.0.2.1",
    "      CNAME weight 80: elb.provider.test",
    "    CNAME geo default: eu.example.com (above)",
  ]);
  expect(leavesInOrder(roots)).toEqual(["192.0.2.1", "elb.provider.test"]);
});

test("several roots, a leaf of both, and a wildcard that answers for a target", () => {
  const wanted = [
    set("www.example.com", "CNAME", "x.apps.example.com"),
    set("*.apps.example.com", "A", "192.0.2.1"),
    set("b.example.com", "A", "192.0.2.1", "192.0.2.1"),
  ];
  expect(drawn(layoutTree(wanted, wanted))).toEqual([
    "b.example.com",
    "  A: 192.0.2.1",
    "www.example.com",
    "  CNAME: *.apps.example.com",
    "    A: 192.0.2.1 (above)",
  ]);
});

test("a cycle ends where it closes, and its names are drawn all the same", () => {
  const wanted = [set("a.test", "CNAME", "b.test"), set("b.test", "CNAME", "a.test")];
  expect(drawn(layoutTree(wanted, wanted))).toEqual(["a.test", "  CNAME: b.test", "    CNAME: a.test (above)"]);
  expect(layoutTree([], [])).toEqual([]);
});
