import { describe, expect, it } from "vitest";
import { lintTexts } from "./lint.ts";

const record = (name: string, more = "") => `apiVersion: vedette.dev/v1alpha1
kind: DNSRecord
metadata: { name: ${name}, namespace: shop }
spec:
  rootHost: ${name}.example.com
  endpoints:
    - { dnsName: ${name}.example.com, recordType: A, targets: [203.0.113.10] }
${more}`;
const policy = (more = "") => `apiVersion: vedette.dev/v1alpha1
kind: DNSHealthCheckPolicy
metadata: { name: public, namespace: shop }
spec:
  targetRef: { name: public }
${more}`;
const lint = (files: Record<string, string>) =>
  lintTexts(new Map(Object.entries(files).map(([file, text]) => [file, { text }])));

describe("manifests that are in order", () => {
  it("are counted by kind, and those of others passed over", () => {
    const other = "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: x }\n";
    const text = [record("a"), policy(), other, record("b")].join("---\n");
    expect(lint({ "all.yaml": text })).toEqual({
      files: 1,
      kinds: { DNSRecord: 2, DNSHealthCheckPolicy: 1 },
      faults: [],
      notes: [],
    });
  });
});

describe("every fault", () => {
  it("is told with file, document, place, field, value and rule, in all documents of all files", () => {
    const check = "  healthCheck: { interval: 0s, port: 25 }\n";
    const { faults } = lint({ "a.yaml": `${record("a")}---\n${record("b", check)}`, "p.yaml": policy(check) });
    const where = { file: "a.yaml", document: 2, object: "shop/b", line: 16 };
    expect(faults).toEqual([
      expect.objectContaining({
        ...where,
        field: "spec.healthCheck.port",
        value: "25",
        rule: expect.stringContaining("must not be 25"),
      }),
      expect.objectContaining({
        ...where,
        field: "spec.healthCheck.interval",
        value: '"0s"',
        rule: "must be from 1s to 1h",
      }),
      expect.objectContaining({ file: "p.yaml", document: 1, object: "shop/public", field: "spec.healthCheck.port" }),
      expect.objectContaining({ file: "p.yaml", document: 1, field: "spec.healthCheck.interval", value: '"0s"' }),
    ]);
  });

  it("of a text that is no manifest at all, too", () => {
    expect(
      lint({ "a.yaml": "spec: [1, 2\n", "b.yaml": "# nothing\n", "c.yaml": policy().replace("Policy", "Polizy") }),
    ).toMatchObject({
      kinds: {},
      faults: [
        { file: "a.yaml", document: 1, rule: expect.stringContaining("is no valid YAML") },
        { file: "b.yaml", rule: "is empty" },
        { file: "c.yaml", rule: expect.stringContaining("kind DNSRecord or DNSHealthCheckPolicy") },
      ],
    });
  });

  it("is found between files: one name twice", () => {
    const { faults } = lint({ "a.yaml": record("a"), "b.yaml": record("a") });
    expect(faults).toEqual([
      { file: "b.yaml", line: 1, rule: expect.stringContaining("shop/a is a second DNSRecord of that name") },
    ]);
  });

  it("never shows a secret's value", () => {
    const secret = "apiVersion: v1\nkind: Secret\nmetadata: { name: h, namespace: shop }\ndata: { X-Key: 'S3CR3T!' }\n";
    const linted = lint({ "s.yaml": secret });
    expect(linted.faults).toHaveLength(1);
    expect(JSON.stringify(linted)).not.toContain("S3CR3T");
  });
});

describe("a Secret with headers", () => {
  const check = "  healthCheck: { additionalHeadersRef: { name: h } }\n";
  const secret = (data: string) =>
    `apiVersion: v1\nkind: Secret\nmetadata: { name: h, namespace: shop }\nstringData: { ${data} }\n`;

  it("that is not here is noted: it may be in the cluster", () => {
    const { faults, notes } = lint({ "a.yaml": record("a", check) });
    expect(faults).toEqual([]);
    expect(notes).toMatchObject([
      { file: "a.yaml", object: "shop/a", rule: "The Secret shop/h is not among the manifests." },
    ]);
  });

  it("that holds what no header is named is a fault", () => {
    const { faults, notes } = lint({ "a.yaml": record("a", check), "s.yaml": secret("Host: x") });
    expect(notes).toEqual([]);
    expect(faults).toMatchObject([{ object: "shop/a", rule: expect.stringContaining("The Secret shop/h is wrong") }]);
  });
});
