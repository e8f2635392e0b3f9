import { expect, it } from "vitest";
import type { Expectation, ProbeTarget } from "../model/probe.ts";
import { revisionOf } from "./revision.ts";

const target: ProbeTarget = { protocol: "HTTP", leaf: "203.0.113.10", port: 80, host: "api.example.com", path: "/" };
const expectation: Expectation = { statuses: [{ from: 200, to: 299 }], addressPolicy: "Any" };
const revision = revisionOf(target, expectation, undefined);

it("stays the same for the same target and expectation, in whatever order they are written", () => {
  const { leaf, ...rest } = target;
  expect(revisionOf({ leaf, ...rest }, { ...expectation }, undefined)).toBe(revision);
  const statuses = [
    { from: 200, to: 204 },
    { from: 200, to: 299 },
    { from: 301, to: 301 },
  ];
  expect(revisionOf(target, { ...expectation, statuses: statuses.toReversed() }, undefined)).toBe(
    revisionOf(target, { ...expectation, statuses }, undefined),
  );
});

it.each<[string, Partial<ProbeTarget>, Partial<Expectation>, string | undefined]>([
  ["protocol", { protocol: "TCP" }, {}, undefined],
  ["leaf", { leaf: "203.0.113.11" }, {}, undefined],
  ["port", { port: 81 }, {}, undefined],
  ["host", { host: "www.example.com" }, {}, undefined],
  ["path", { path: "/healthz" }, {}, undefined],
  ["statuses", {}, { statuses: [{ from: 200, to: 200 }] }, undefined],
  ["body", {}, { body: "ok" }, undefined],
  ["addressPolicy", {}, { addressPolicy: "All" }, undefined],
  ["allowInsecureCertificate", {}, { allowInsecureCertificate: true }, undefined],
  ["headers", {}, {}, "abc"],
])("another %s is another revision", (_, targetEdit, expectationEdit, headersDigest) => {
  expect(revisionOf({ ...target, ...targetEdit }, { ...expectation, ...expectationEdit }, headersDigest)).not.toBe(
    revision,
  );
});

it("is what it was before certificates were asked for: no count starts anew by an update of the edge", () => {
  expect(revision).toBe("ab1c24ff0c3fc6a6");
});
